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
struct Closedness;
struct ExportOptions;
struct ExtractOptions;
struct GlbCheck;
struct GlbCheckOptions;
struct Gradient;
struct Interval;
struct Lattice;
struct LatticePoint;
struct MaterialWeights;
struct Mesh;
struct NoiseOptions;
struct Position;
struct RayHit;
struct RayOptions;
struct SampleBlock;
enum class Combination;
enum class ExportFormat;
enum class SimdTarget;

}  // namespace quarry::terrain
