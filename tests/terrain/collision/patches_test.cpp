// Patches: all of a chunk's surface, in pieces a physics engine likes, the same ones wherever nothing has changed.
#include "terrain/collision/patches.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/edited_field.hpp"
#include "terrain/collision/contact.hpp"
#include "tests/terrain/collision/collision_support.hpp"

namespace quarry::terrain::collision {
namespace {

using test_support::Static;

// All chunks of a cube around 0.
std::vector<ChunkKey> cube(std::int32_t reach) {
    std::vector<ChunkKey> keys;
    for (std::int32_t z = -reach; z < reach; ++z) {
        for (std::int32_t y = -reach; y < reach; ++y) {
            for (std::int32_t x = -reach; x < reach; ++x) keys.push_back({0, x, y, z});
        }
    }
    return keys;
}

struct Findings {
    std::size_t triangles = 0;
    std::size_t low = 0;    // triangles lower than they may be
    std::size_t large = 0;  // patches with too many
    std::size_t open = 0;   // edges
};

Findings look_at(const std::shared_ptr<const Field>& field, std::int32_t cells, double simplify, std::int32_t reach) {
    const auto source = source_of(field, cells, simplify);
    Findings found;
    EdgeBalance edges;
    for (const ChunkKey& key : cube(reach)) {
        const PatchSet set = make_patches(*source, key, nullptr);
        for (const auto& patch : set.patches) {
            if (patch->triangles() > kMostPatchTriangles) ++found.large;
            found.triangles += patch->triangles();
            for (std::size_t i = 0; i < patch->indices.size(); i += 3) {
                const auto at = [&](std::size_t k) { return patch->positions[patch->indices[i + k]]; };
                if (height_of(at(0), at(1), at(2)) < kLeastPatchHeight) ++found.low;
            }
            for (const PlaceTriangle& triangle : triangles_of(*patch, cells)) edges.add(triangle);
        }
    }
    const double end = reach * cells;
    found.open = edges.open_within({-end, -end, -end}, {end, end, end});
    return found;
}

void expect_sound(const Findings& found, const char* what) {
    EXPECT_GT(found.triangles, 100u) << what;
    EXPECT_EQ(found.large, 0u) << what;
    EXPECT_EQ(found.open, 0u) << what;
    EXPECT_EQ(found.low, 0u) << what;
}

TEST(CollisionPatches, AreClosedSmallAndWithoutSliversWhateverTheGround) {
    expect_sound(look_at(hills(), 16, 0, 2), "hills");
    expect_sound(look_at(hills(5), 32, 0, 1), "hills in large chunks");
    expect_sound(look_at(std::make_shared<PlaneField>(Position{0, 4, 0}, Position{0, 1, 0}), 16, 0, 1), "a plane");
    expect_sound(look_at(std::make_shared<PlaneField>(Position{0, 4, 0}, Position{0.02, 1, 0.01}), 16, 0, 1),
                 "a slope");
    expect_sound(look_at(std::make_shared<test_support::Ball>(Position{0, 0, 0}, 11.3), 8, 0, 2), "a ball");
}

TEST(CollisionPatches, SimplifiedOnesAreClosedAndWithoutSliversToo) {
    const Findings whole = look_at(hills(), 16, 0, 2);
    const Findings fewer = look_at(hills(), 16, 0.1, 2);
    expect_sound(fewer, "hills");
    EXPECT_LT(fewer.triangles, whole.triangles * 8 / 10);
    expect_sound(look_at(std::make_shared<PlaneField>(Position{0, 4, 0}, Position{0.02, 1, 0.01}), 32, 0.05, 1),
                 "a slope");
    expect_sound(look_at(hills(9), 32, 0.5, 1), "hills, roughly");
}

TEST(CollisionPatches, OfTheWorstGroundAreSoundAsWell) {
    for (const double noise : {1e-6, 1e-3, 0.05}) {
        SCOPED_TRACE(noise);
        expect_sound(look_at(std::make_shared<AlmostFlat>(4, noise), 16, 0, 2), "almost flat");
        expect_sound(look_at(std::make_shared<AlmostFlat>(4, noise), 16, 0.1, 2), "almost flat, simplified");
    }
    for (std::uint32_t seed = 2; seed <= 4; seed += 2) {
        SCOPED_TRACE(seed);
        expect_sound(look_at(std::make_shared<Static>(seed, 0.2 * seed), 8, 0, 1), "random densities");
        expect_sound(look_at(std::make_shared<Static>(seed, 0.2 * seed), 8, 0.3, 1), "random densities, simplified");
    }
}

TEST(CollisionPatches, HaveExactlyTheChunksTriangles) {
    const auto source = source_of(
        std::make_shared<NoiseField>(NoiseOptions{.seed = 3, .frequency = 0.1, .amplitude = 9, .offset = -16}), 32);
    const Mesh mesh = bake(extract(*source->field, {0, 0, -1, 0}, source->extract), 0);
    const auto name = [](Vector3 a, Vector3 b, Vector3 c) {
        std::array<std::array<float, 3>, 3> corners{{{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}}};
        // From the least corner on, so that the way around stays.
        std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
        return corners;
    };
    std::multiset<std::array<std::array<float, 3>, 3>> wanted;
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
        wanted.insert(name(mesh.positions[mesh.indices[i]], mesh.positions[mesh.indices[i + 1]],
                           mesh.positions[mesh.indices[i + 2]]));
    }
    std::multiset<std::array<std::array<float, 3>, 3>> found;
    const PatchSet set = make_patches(*source, {0, 0, -1, 0}, nullptr);
    for (const auto& patch : set.patches) {
        for (std::size_t i = 0; i < patch->indices.size(); i += 3) {
            const auto at = [&](std::size_t k) { return patch->positions[patch->indices[i + k]]; };
            found.insert(name(at(0), at(1), at(2)));
        }
    }
    EXPECT_GT(wanted.size(), 1000u);
    EXPECT_EQ(found, wanted);
    EXPECT_GE(set.patches.size(), 3u);
}

// How far simplified patches are from the surface: every vertex of the mesh is near one of their triangles.
TEST(CollisionPatches, SimplifiedOnesStayNearTheSurface) {
    const auto source = source_of(hills(), 32, 0.1);
    const Mesh mesh = bake(extract(*source->field, {0, 0, 0, 0}, source->extract), 0);
    const PatchSet set = make_patches(*source, {0, 0, 0, 0}, nullptr);
    ASSERT_GT(mesh.positions.size(), 500u);
    double furthest = 0;
    for (const Vector3& at : mesh.positions) {
        const Vec point{at.x, at.y, at.z};
        double nearest = 1e9;
        for (const auto& patch : set.patches) {
            for (const PlaceTriangle& t : triangles_of(*patch, 32)) {
                const Triangle triangle{Vec{t[0][0], t[0][1], t[0][2]}, Vec{t[1][0], t[1][1], t[1][2]},
                                        Vec{t[2][0], t[2][1], t[2][2]}};
                const Vec away = point - nearest_on(triangle, point);
                nearest = std::min(nearest, std::sqrt(dot(away, away)));
            }
        }
        furthest = std::max(furthest, nearest);
    }
    EXPECT_GT(furthest, 0.0);
    EXPECT_LT(furthest, 0.3);
}

// Of chunks of 32 voxels, to within a voxel.
bool reaches(const CollisionPatch& patch, const Box& box) {
    const auto along = [](std::int32_t place, float from, float to, double low, double high) {
        return place * 32.0 + from <= high + 1 && place * 32.0 + to >= low - 1;
    };
    const MeshBounds& b = patch.bounds;
    return along(patch.chunk.x, b.low.x, b.high.x, box.low.x, box.high.x) &&
           along(patch.chunk.y, b.low.y, b.high.y, box.low.y, box.high.y) &&
           along(patch.chunk.z, b.low.z, b.high.z, box.low.z, box.high.z);
}

TEST(CollisionPatches, OnlyThoseThatADigTouchesAreMadeAnew) {
    for (const double simplify : {0.0, 0.1}) {
        SCOPED_TRACE(simplify);
        EditWorld world(hills());
        const auto before_source = source_of(world.field(), 32, simplify);
        std::size_t same = 0;
        std::size_t other = 0;
        std::map<std::array<std::int32_t, 3>, PatchSet> before;
        for (const ChunkKey& key : cube(1)) before[{key.x, key.y, key.z}] = make_patches(*before_source, key, nullptr);
        const EditReport report = world.apply({.kind = EditKind::dig, .at = {6, 0, 6}, .radius = 3});
        const auto source = source_of(world.field(), 32, simplify);
        for (const ChunkKey& key : cube(1)) {
            const PatchSet& old = before[{key.x, key.y, key.z}];
            for (const auto& patch : make_patches(*source, key, &old).patches) {
                const bool is_kept = std::find(old.patches.begin(), old.patches.end(), patch) != old.patches.end();
                ++(is_kept ? same : other);
                if (is_kept) continue;
                // A part that was there before has changed only if it reaches to the dig.
                const auto known = std::find_if(old.patches.begin(), old.patches.end(),
                                                [&](const auto& each) { return each->part == patch->part; });
                if (known == old.patches.end()) continue;
                EXPECT_TRUE(reaches(*patch, report.changed) || reaches(**known, report.changed));
            }
        }
        EXPECT_GT(other, 0u);
        EXPECT_LE(other, 6u);
        EXPECT_GT(same, 3 * other);
    }
}

TEST(CollisionPatches, WhatTheHostWantsPreparedIsPreparedOncePerPatchThatChanged) {
    EditWorld world(hills());
    auto source = source_of(world.field(), 32);
    int calls = 0;
    source->prepare = [&](const CollisionPatch& patch) -> std::shared_ptr<void> {
        ++calls;
        return std::make_shared<std::size_t>(patch.triangles());
    };
    const PatchSet first = make_patches(*source, {0, 0, 0, 0}, nullptr);
    EXPECT_EQ(static_cast<std::size_t>(calls), first.patches.size());
    for (const auto& patch : first.patches) {
        EXPECT_EQ(*std::static_pointer_cast<std::size_t>(patch->prepared), patch->triangles());
    }
    const PatchSet again = make_patches(*source, {0, 0, 0, 0}, &first);
    EXPECT_EQ(static_cast<std::size_t>(calls), first.patches.size());
    EXPECT_EQ(again.patches, first.patches);
}

}  // namespace
}  // namespace quarry::terrain::collision
