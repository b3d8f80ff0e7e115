#pragma once

namespace quarry::terrain {

class BoxField;
class CombinedField;
class Cover;
class DescriptionError;
class ExtractScratch;
class Field;
class HeightCover;
class HeightField;
class Heightmap;
class HeightmapField;
class IndexList;
class LayeredMaterials;
class Materials;
class NoiseCover;
class NoiseField;
class PaintedMaterials;
class PlaneField;
class RidgedField;
class SlopeCover;
class SphereField;
class TorusField;
class TranslatedField;
class WarpedField;
struct BakedChunk;
struct Box;
struct ChunkKey;
struct ChunkMesh;
struct Closedness;
struct CoverRange;
struct Described;
struct ExportOptions;
struct ExtractOptions;
struct GlbCheck;
struct GlbCheckOptions;
struct Gradient;
struct GridOptions;
struct HeightmapOptions;
struct Interval;
struct Lattice;
struct LatticePoint;
struct MaterialLayer;
struct MaterialWeights;
struct Mesh;
struct MeshMemoryUse;
struct NoiseOptions;
struct OctreeOptions;
struct PlacedChunk;
struct Position;
struct RayHit;
struct RayOptions;
struct SampleBlock;
struct Stroke;
struct WorldCounts;
struct WorldEstimate;
struct WorldMesh;
struct WorldOptions;
struct WorldProgress;
enum class Combination;
enum class ExportFormat;
enum class Keep;
enum class SimdTarget;

}  // namespace quarry::terrain
