#include "terrain/transvoxel/chunk_edges.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/closedness.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "quarry/terrain/world.hpp"
#include "tests/terrain/test_fields.hpp"

// R17: where chunks of two levels meet in a line, their vertices are in one place.

namespace quarry::terrain {
namespace {

constexpr float kChunkCells = 32;

int chunk_sides_of(Vector3 at) {
    int sides = 0;
    for (const float along : {at.x, at.y, at.z}) sides += along == 0 || along == kChunkCells ? 1 : 0;
    return sides;
}

// The lattice line of a vertex, and how far along it.
struct OnLine {
    std::array<float, 3> line;
    float place;
};

OnLine on_line(Vector3 at) {
    std::array<float, 3> line{at.x, at.y, at.z};
    float place = 0;
    for (float& along : line) {
        if (along == 0 || along == kChunkCells) continue;
        place = along;
        along = -1;
    }
    return {line, place};
}

// Whether the line lies within a chunk of the next level, which has no seam there.
bool is_within_coarser(ChunkKey key, const OnLine& at) {
    int odd = 0;
    const std::array<std::int32_t, 3> corner{key.x, key.y, key.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (at.line[axis] >= 0) odd += (corner[axis] + (at.line[axis] > 0 ? 1 : 0)) & 1;
    }
    return odd == 2;
}

struct Count {
    std::size_t together = 0;
    std::size_t apart = 0;
};

// For each half-resolution vertex where two sides meet: whether the chunk's own vertex on a half of its edge is there.
void count(const ChunkMesh& mesh, Count& found) {
    for (std::size_t i = mesh.full_vertices; i < mesh.positions.size(); ++i) {
        if (chunk_sides_of(mesh.positions[i]) != 2) continue;
        const OnLine half = on_line(mesh.positions[i]);
        if (is_within_coarser(mesh.key, half)) continue;
        float nearest = 100;
        for (std::size_t j = 0; j < mesh.full_vertices; ++j) {
            if (chunk_sides_of(mesh.positions[j]) != 2) continue;
            const OnLine own = on_line(mesh.positions[j]);
            if (own.line != half.line || std::floor(own.place / 2) != std::floor(half.place / 2)) continue;
            nearest = std::min(nearest, std::abs(own.place - half.place));
        }
        ASSERT_LT(nearest, 2);
        ++(nearest == 0 ? found.together : found.apart);
        if (nearest == 0) continue;
        EXPECT_GE(nearest, transvoxel::kLeastApart) << "LOD " << mesh.key.lod;
    }
}

TEST(ChunkEdges, VerticesOfTwoLevelsAreInOnePlaceWhereChunksMeet) {
    const NoiseField noise;
    const NoiseField wild({.seed = 7, .octaves = 4, .frequency = 0.03, .amplitude = 300});
    for (const Field* field : {static_cast<const Field*>(&noise), static_cast<const Field*>(&wild)}) {
        Count found;
        for (std::int32_t lod = 0; lod < 5; ++lod) {
            for (std::int32_t i = 0; i < 16; ++i) count(extract(*field, {lod, i % 4 - 2, -(i & 1), i / 4 - 2}), found);
        }
        EXPECT_GT(found.together, 100U);
        EXPECT_LE(found.apart * 20, found.together);
    }
}

TEST(ChunkEdges, GroundOnALatticePlaneStaysFlat) {
    const PlaneField ground({0, 0.001, 0}, {0, 1, 0});
    for (std::int32_t lod = 0; lod <= kCoarsestLod; ++lod) {
        const ChunkMesh mesh = extract(ground, {lod, 0, 0, 0});
        ASSERT_EQ(mesh.content, ChunkContent::surface);
        for (std::size_t i = 0; i < mesh.full_vertices; ++i) EXPECT_LE(mesh.positions[i].y, 0.1f) << "LOD " << lod;
    }
}

TEST(ChunkEdges, WorldsOfAllLevelsAreClosed) {
    const NoiseField wild({.seed = 7, .octaves = 4, .frequency = 0.03, .amplitude = 300});
    const NoiseField wide({.seed = 3, .octaves = 6, .frequency = 0.002, .amplitude = 800});
    struct Case {
        const Field& field;
        OctreeOptions places;
    };
    for (const Case& each : {Case{wild, {.viewer = {5, 3, -9}, .radius = 160, .lod_distance = 33, .max_lod = 3}},
                             Case{wide, {.viewer = {5, 3, -9}, .radius = 3000, .lod_distance = 33, .max_lod = 7}}}) {
        std::vector<Mesh> meshes;
        std::vector<ChunkKey> places;
        for (const PlacedChunk& place : octree_world(each.places)) {
            places.push_back(place.key);
            const ChunkMesh mesh = extract(each.field, place.key);
            if (mesh.content == ChunkContent::surface) meshes.push_back(bake(mesh, place.mask));
        }
        const Closedness closed = check_closedness(meshes, places, 32);
        EXPECT_GT(closed.edges, 10'000U);
        EXPECT_EQ(closed.cracks, 0U);
        EXPECT_EQ(closed.repeated, 0U);
    }
}

}  // namespace
}  // namespace quarry::terrain
