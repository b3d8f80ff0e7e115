#pragma once

#include <cstdint>
#include <memory>

#include "quarry/export.hpp"
#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/fwd.hpp"
#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain {

namespace impl {
struct ExtractMemory;
}

// Limits of the number of cells along an axis of a chunk, and of its level of detail.
inline constexpr std::int32_t kFewestCells = 4;
inline constexpr std::int32_t kMostCells = 62;
inline constexpr std::int32_t kCoarsestLod = 7;

// How a chunk is meshed. All chunks of a world have the same options: where a chunk meets one with another number of
// cells, vertices on their common edge lie in different places, and there are cracks.
struct ExtractOptions {
    std::int32_t cells = 32;               // along each axis; an even number from kFewestCells to kMostCells
    Lattice lattice{};                     // where samples lie in the world
    const Materials* materials = nullptr;  // what fills the weights of vertices; null: meshes have none
};

// Working memory that extractions use again and again; of one extraction at a time.
class QUARRY_API ExtractScratch {
  public:
    ExtractScratch();
    // Takes the memory over.
    ExtractScratch(ExtractScratch&&) noexcept;
    ExtractScratch& operator=(ExtractScratch&&) noexcept;
    ~ExtractScratch();

    // For extract; nobody else needs it.
    impl::ExtractMemory& memory() noexcept { return *memory_; }

  private:
    std::unique_ptr<impl::ExtractMemory> memory_;
};

// The surface of the field in one chunk. The same arguments give the same bits on every thread and machine. Once the
// scratch has served a chunk of that size it allocates only what it returns, and what a composed field needs to look at
// its parts. Throws std::invalid_argument for a LOD
// outside 0..kCoarsestLod, wrong options, or a chunk beyond kLatticeLimit.
QUARRY_API ChunkMesh extract(const Field& field, ChunkKey key, const ExtractOptions& options, ExtractScratch& scratch);

// Extracts with memory that the calling thread keeps for this.
QUARRY_API ChunkMesh extract(const Field& field, ChunkKey key, const ExtractOptions& options = {});

// A chunk meshed for one mask.
struct BakedChunk {
    // What the chunk holds, and its mesh if that is a surface.
    ChunkContent content = ChunkContent::rejected;
    Mesh mesh;
};

// Gives what bake(extract(field, key, options, scratch), mask) gives, for when no other mask will be asked for. Without
// active sides it takes a fifth less time.
QUARRY_API BakedChunk extract_baked(const Field& field, ChunkKey key, std::uint32_t mask, const ExtractOptions& options,
                                    ExtractScratch& scratch);

// The samples that extract takes for a chunk.
QUARRY_API SampleBlock samples_of(ChunkKey key, const ExtractOptions& options);

}  // namespace quarry::terrain
