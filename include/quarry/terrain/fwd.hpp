#pragma once

#include <cstdint>

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
class MeshWorkerPool;
class NoiseCover;
class NoiseField;
class PaintedMaterials;
class PlaneField;
class RidgedField;
class SlopeCover;
class SphereField;
class Streamer;
class StreamerInbox;
class TorusField;
class TranslatedField;
class WarpedField;
struct BakedChunk;
struct Box;
struct ChunkError;
struct ChunkId;
struct ChunkKey;
struct ChunkMesh;
struct ChunkTransition;
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
struct MeshRequest;
struct MeshResult;
struct NoiseOptions;
struct OctreeOptions;
struct PlacedChunk;
struct Position;
struct RayHit;
struct RayOptions;
struct SampleBlock;
struct ShownCheck;
struct ShownChunk;
struct ShownWorld;
struct StreamEvent;
struct StreamerOptions;
struct StreamerStats;
struct Stroke;
struct Viewer;
struct WorldCounts;
struct WorldEstimate;
struct WorldMesh;
struct WorldOptions;
struct WorldProgress;
enum class ChunkState : std::uint8_t;
enum class Combination;
enum class ExportFormat;
enum class Keep;
enum class SimdTarget;

}  // namespace quarry::terrain
