#pragma once

namespace quarry::terrain {

class ExtractScratch;
class Field;
class IndexList;
class NoiseField;
struct Box;
struct ChunkKey;
struct ChunkMesh;
struct ExtractOptions;
struct Gradient;
struct Interval;
struct Lattice;
struct LatticePoint;
struct Mesh;
struct NoiseOptions;
struct Position;
struct SampleBlock;

}  // namespace quarry::terrain
