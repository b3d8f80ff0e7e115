#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/fwd.hpp"
#include "quarry/terrain/lattice.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain {

// A chunk of a world, and the sides on which its neighbour is coarser.
struct PlacedChunk {
    // Which chunk, and on which of its sides the neighbour is coarser.
    ChunkKey key;
    std::uint32_t mask = 0;

    friend constexpr bool operator==(const PlacedChunk&, const PlacedChunk&) = default;
};

// A world of more chunks is refused before memory is taken, unless the options say otherwise; 2 GB of places.
inline constexpr std::size_t kMostChunks = 100'000'000;

// Worlds of one level of detail, in the middle of which lies lattice point 0.
struct GridOptions {
    // Level of detail of all chunks, cells along an axis of each, and most chunks before it is refused.
    std::int32_t lod = 0;
    std::int32_t cells = 32;
    double voxel_size = 1;  // of the finest level, in world units
    std::size_t most_chunks = kMostChunks;
};

// These throw std::invalid_argument for options out of range, a world that goes beyond kLatticeLimit, and one of more
// than most_chunks chunks; the message has the number. The order of the chunks is always the same: blocks of 4 x 4 x 4
// one after the other, so that neighbours in the list are neighbours in space.

// All chunks whose middle is at most radius world units away from the world's middle.
QUARRY_API std::vector<PlacedChunk> sphere_world(double radius, const GridOptions& options = {});

// A box of that size in world units, rounded up to whole chunks. An odd number of them reaches one further up than
// down.
QUARRY_API std::vector<PlacedChunk> box_world(const Position& size, const GridOptions& options = {});

// Which chunks lie around a viewer.
struct OctreeOptions {
    Position viewer{};                     // world units
    std::vector<Position> more_viewers{};  // a node is as far away as it is from the nearest of all viewers
    double radius = 2048;                  // in world units, as is lod_distance
    double lod_distance = 128;  // closer than this all is LOD 0; closer than twice that at most LOD 1; and so on
    // Coarsest level, cells along an axis of a chunk, where samples lie, and most chunks before it is refused.
    std::int32_t max_lod = kCoarsestLod;
    std::int32_t cells = 32;
    Lattice lattice{};
    std::size_t most_chunks = kMostChunks;
};

// A cut through the octree of chunks: all leaves that reach into the ball around a viewer, each as coarse as
// lod_distance allows, but leaves that touch, even at a corner, differ by at most one level. No two overlap, and the
// ball has no hole. A side's bit is set where the neighbour is a coarser leaf of the cut. Depth first, x before y
// before z. Throws as the functions above.
QUARRY_API std::vector<PlacedChunk> octree_world(const OctreeOptions& options);

// What mesh_world keeps of a chunk with a surface.
enum class Keep {
    baked,      // the Mesh for the chunk's mask
    extracted,  // the ChunkMesh, which any mask can be baked from
};

// Figures that another thread may read while a world is meshed.
struct WorldProgress {
    std::atomic<std::uint64_t> to_mesh{0};  // chunks that bounds have left over; 0 until that is known
    std::atomic<std::uint64_t> meshed{0};   // chunks
};

// How a world is meshed.
struct WorldOptions {
    // For each chunk; what is kept of it.
    ExtractOptions extract{};
    Keep keep = Keep::baked;
    // Once requested, Cancelled is thrown; who follows the progress.
    std::stop_token stop_token{};
    WorldProgress* progress = nullptr;
};

// Each chunk is counted as one of the last three.
struct WorldCounts {
    std::uint64_t total = 0;          // chunks
    std::uint64_t rejected = 0;       // by bounds
    std::uint64_t sampled_empty = 0;  // by samples
    std::uint64_t surface = 0;        // with a mesh

    friend constexpr bool operator==(const WorldCounts&, const WorldCounts&) = default;
};

// The meshes of a world.
struct WorldMesh {
    // Of chunks with a surface, in the order of the places; the list that is not kept is empty.
    std::vector<Mesh> meshes;
    std::vector<ChunkMesh> extracted;

    std::vector<ChunkContent> contents;  // one for each place
    WorldCounts counts;                  // of chunks
    std::uint64_t vertices = 0;          // of the meshes; of extracted ones those of the chunks' own cells
    std::uint64_t triangles = 0;         // of the meshes

    // Chunks with a surface that each worker has meshed; one more for threads that are not workers, if they had any.
    std::vector<std::uint64_t> surface_by_worker;
    double seconds_rejecting = 0;
    double seconds_meshing = 0;
};

// Meshes all places on the workers of the pool, as work of Lane::background. A thread that is not part of the pool
// waits meanwhile and takes no share; one that is, takes part. The meshes are the same bits for any number of workers.
// Bounds are asked for groups of neighbours in the list before single chunks. Throws std::invalid_argument for a key or
// a mask out of range, Cancelled when stop was requested before the end, and what the field throws.
QUARRY_API WorldMesh mesh_world(Pool& pool, const Field& field, std::span<const PlacedChunk> places,
                                const WorldOptions& options = {});

// What a world will come to, by its bounds and by a few of its chunks, meshed.
struct WorldEstimate {
    std::uint64_t to_mesh = 0;  // chunks that bounds leave over
    std::vector<Mesh> sample;   // of some of these, evenly spread; those with a surface
    double scale = 0;           // times what the sample has is about what the world has

    // What the surface chunks are expected to hold.
    QUARRY_API double vertices() const noexcept;
    QUARRY_API double triangles() const noexcept;
    QUARRY_API double bytes() const noexcept;  // in memory, of baked meshes
};

// Takes milliseconds, and is right within some ten per cent. Throws as mesh_world.
QUARRY_API WorldEstimate estimate_world(Pool& pool, const Field& field, std::span<const PlacedChunk> places,
                                        const WorldOptions& options = {});

// A number that depends on every bit of all meshes and their order.
QUARRY_API std::uint64_t content_hash(Pool& pool, const WorldMesh& world);

}  // namespace quarry::terrain
