#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/mesh.hpp"
#include "tests/terrain/octree_cut.hpp"
#include "tests/terrain/test_fields.hpp"

namespace quarry::terrain::test_support {

// Meshes of some chunks, and all chunks that were looked at.
struct World {
    std::vector<Mesh> meshes;
    std::vector<ChunkKey> places;
    std::int32_t cells = 0;
};

inline void add_chunk(World& world, const Field& field, ChunkKey key, std::uint32_t mask) {
    ExtractOptions options;
    options.cells = world.cells;
    world.places.push_back(key);
    const ChunkMesh mesh = extract(field, key, options);
    if (mesh.content == ChunkContent::surface) world.meshes.push_back(bake(mesh, mask));
}

// A cut through an octree, several levels deep.
inline World octree_world(const Field& field, std::uint32_t seed, std::int32_t cells, std::size_t leaves = 400) {
    OctreeCut cut(6);
    cut.split_at_random(leaves, seed);
    World world;
    world.cells = cells;
    for (const ChunkKey& key : cut.leaves()) add_chunk(world, field, key, cut.mask(key));
    return world;
}

// Chunks of LOD 0 from (low, low, low) up to below (high, high, high).
inline World grid_world(const Field& field, std::int32_t low, std::int32_t high, std::int32_t cells) {
    World world;
    world.cells = cells;
    for (std::int32_t z = low; z < high; ++z) {
        for (std::int32_t y = low; y < high; ++y) {
            for (std::int32_t x = low; x < high; ++x) add_chunk(world, field, {0, x, y, z}, 0);
        }
    }
    return world;
}

inline constexpr double kBallRadius = 50;

inline World ball_world() {
    return octree_world(Ball({60.2, 61.7, 59.4}, kBallRadius), 1, 8);
}

inline void add_materials(World& world) {
    std::uint32_t number = 0;
    for (Mesh& mesh : world.meshes) {
        mesh.materials.resize(mesh.positions.size());
        for (MaterialWeights& weights : mesh.materials) {
            const auto part = static_cast<std::uint8_t>(number++ % 256);
            weights.of = {part, static_cast<std::uint8_t>(255 - part), 0, 0};
        }
    }
}

// One mesh of that many vertices: a ribbon of triangles.
inline Mesh ribbon(std::size_t vertices) {
    Mesh mesh;
    std::vector<std::uint32_t> indices;
    for (std::uint32_t i = 0; i < vertices; ++i) {
        const std::uint32_t row = i / 512;
        mesh.positions.push_back(
            {static_cast<float>(i % 2), static_cast<float>(i % 512) / 16.0F, static_cast<float>(row) / 16.0F});
        mesh.normals.push_back({0, 1, 0});
        if (i >= 2) indices.insert(indices.end(), {i - 2, i - 1, i});
    }
    mesh.indices = IndexList(indices, vertices);
    mesh.bounds = bounds_of(mesh.positions);
    return mesh;
}

}  // namespace quarry::terrain::test_support
