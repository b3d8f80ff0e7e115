#pragma once

namespace quarry::terrain {

class BoxField;
class CombinedField;
class ExtractScratch;
class Field;
class HeightField;
class IndexList;
class NoiseField;
class PlaneField;
class RidgedField;
class SphereField;
class TorusField;
class TranslatedField;
class WarpedField;
struct Box;
struct ChunkKey;
struct ChunkMesh;
struct ExtractOptions;
struct Gradient;
struct GridOptions;
struct Interval;
struct Lattice;
struct LatticePoint;
struct MaterialWeights;
struct Mesh;
struct NoiseOptions;
struct OctreeOptions;
struct PlacedChunk;
struct Position;
struct RayHit;
struct RayOptions;
struct SampleBlock;
struct WorldCounts;
struct WorldMesh;
struct WorldOptions;
struct WorldProgress;
enum class Combination;
enum class Keep;
enum class SimdTarget;

}  // namespace quarry::terrain
