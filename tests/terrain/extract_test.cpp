#include "quarry/terrain/extract.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/simd.hpp"
#include "tests/jobs/counting_allocator.hpp"
#include "tests/terrain/patchwork.hpp"
#include "tests/terrain/test_fields.hpp"

namespace quarry::terrain {
namespace {

using test_support::Ball;
using test_support::never_open;
using test_support::Patch;
using test_support::Ring;
using test_support::Static;
using test_support::Surface;

std::vector<ChunkKey> cube_of_chunks(std::int32_t first, std::int32_t last) {
    std::vector<ChunkKey> keys;
    for (std::int32_t z = first; z < last; ++z) {
        for (std::int32_t y = first; y < last; ++y) {
            for (std::int32_t x = first; x < last; ++x) keys.push_back({0, x, y, z});
        }
    }
    return keys;
}

std::vector<Patch> mesh_all(const Field& field, const std::vector<ChunkKey>& keys, const ExtractOptions& options = {}) {
    std::vector<Patch> patches;
    for (const ChunkKey& key : keys) patches.push_back({extract(field, key, options), 0});
    return patches;
}

Vector3 normal_of(const ChunkMesh& mesh, std::size_t first) {
    const Vector3 a = mesh.positions[mesh.indices[first]];
    const Vector3 b = mesh.positions[mesh.indices[first + 1]];
    const Vector3 c = mesh.positions[mesh.indices[first + 2]];
    return {(b.y - a.y) * (c.z - a.z) - (b.z - a.z) * (c.y - a.y),
            (b.z - a.z) * (c.x - a.x) - (b.x - a.x) * (c.z - a.z),
            (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)};
}

float dot(Vector3 a, Vector3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// R17: V - E + F = 2, volume within 0.1 %.
TEST(Extract, BallIsOneClosedSurfaceOfTheRightVolume) {
    const double radius = 40;
    const std::vector<Patch> patches = mesh_all(Ball({0, 0, 0}, radius), cube_of_chunks(-2, 2));
    const Surface surface = test_support::by_identity(patches);
    EXPECT_EQ(surface.open_edges(never_open), 0u);
    EXPECT_EQ(surface.bad_links(never_open), 0u);
    EXPECT_EQ(surface.euler_characteristic(), 2);
    const double exact = 4.0 / 3 * 3.14159265358979 * radius * radius * radius;
    EXPECT_NEAR(test_support::by_position(patches).volume() / exact, 1, 0.001);
}

TEST(Extract, RingIsOneClosedSurfaceWithAHole) {
    const std::vector<Patch> patches = mesh_all(Ring(30, 9), cube_of_chunks(-2, 2));
    const Surface surface = test_support::by_identity(patches);
    EXPECT_EQ(surface.open_edges(never_open), 0u);
    EXPECT_EQ(surface.bad_links(never_open), 0u);
    EXPECT_EQ(surface.euler_characteristic(), 0);
    EXPECT_GT(test_support::by_position(patches).volume(), 0);
}

TEST(Extract, TrianglesAndNormalsFaceAwayFromTheSolid) {
    const Ring field(30, 9);
    std::size_t triangles = 0;
    for (const ChunkKey& key : cube_of_chunks(-2, 2)) {
        const ChunkMesh mesh = extract(field, key);
        for (std::size_t i = 0; i < mesh.regular.count; i += 3) {
            for (std::size_t corner = 0; corner < 3; ++corner) {
                EXPECT_GT(dot(normal_of(mesh, i), mesh.normals[mesh.indices[i + corner]]), 0);
            }
            ++triangles;
        }
        for (const Vector3& normal : mesh.normals) EXPECT_NEAR(dot(normal, normal), 1, 1e-5);
    }
    EXPECT_GT(triangles, 10'000u);
}

// R9, R15: each chunk ends in a state that says what it holds; one that bounds reject never has a surface.
TEST(Extract, ChunkRejectedByBoundsHasNoSurface) {
    const Ball field({0, 0, 0}, 40);
    std::size_t rejected = 0, empty = 0, surface = 0;
    for (const ChunkKey& key : cube_of_chunks(-4, 4)) {
        ExtractOptions options;
        options.cells = 16;
        const ChunkMesh mesh = extract(field, key, options);
        EXPECT_EQ(mesh.key, key);
        EXPECT_EQ(mesh.content == ChunkContent::surface, !mesh.indices.empty());
        rejected += mesh.content == ChunkContent::rejected;
        empty += mesh.content == ChunkContent::empty;
        surface += mesh.content == ChunkContent::surface;
        const SampleBlock block = samples_of(key, options);
        std::vector<float> samples(block.size());
        field.sample(block, samples.data());
        const auto inside = static_cast<std::size_t>(
            std::count_if(samples.begin(), samples.end(), [](float density) { return density < 0; }));
        EXPECT_EQ(mesh.content == ChunkContent::surface, inside != 0 && inside != samples.size());
    }
    EXPECT_GT(rejected, 0u);
    EXPECT_GT(empty, 0u);
    EXPECT_GT(surface, 0u);
}

TEST(Extract, BoundsAreTight) {
    const ChunkMesh mesh = extract(Ball({16, 16, 16}, 10), {0, 0, 0, 0});
    EXPECT_EQ(mesh.bounds, bounds_of(mesh.positions));
    EXPECT_EQ(mesh.bounds.low, (Vector3{6.0f + 82.0f / 4096, 6.0f + 82.0f / 4096, 6.0f + 82.0f / 4096}));
}

TEST(Extract, PositionsAreMultiplesOfOneIn4096AndKeepOffTheSamples) {
    const ChunkMesh mesh = extract(Static(1, 0.5), {0, 3, -2, 1});
    ASSERT_GT(mesh.full_vertices, 1000u);
    for (std::size_t i = 0; i < mesh.full_vertices; ++i) {
        const Vector3 at = mesh.positions[i];
        const float along = at.x - std::floor(at.x) + at.y - std::floor(at.y) + at.z - std::floor(at.z);
        EXPECT_GE(along, 0.02f);
        EXPECT_LE(along, 0.98f);
        EXPECT_EQ(along * 4096, std::floor(along * 4096));
    }
}

// Numbers that a broken field may give.
class Broken : public Static {
  public:
    using Static::Static;

    void densities(std::span<const Position> points, std::span<float> out) const override {
        Static::densities(points, out);
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        constexpr float kLargest = std::numeric_limits<float>::max();
        const float odd[] = {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), kLargest, -kLargest,
                             1e-45f,    -1e-45f};
        for (std::size_t i = 0; i < out.size(); ++i) {
            const auto place = static_cast<std::int64_t>(points[i].x + 5 * points[i].y + 3 * points[i].z);
            out[i] = odd[static_cast<std::size_t>((place % 7 + 7) % 7)];
        }
    }
    void gradients(std::span<const Position>, double, std::span<Gradient> out) const override {
        std::fill(out.begin(), out.end(), Gradient{std::numeric_limits<float>::quiet_NaN(), 0, 0});
    }
};

TEST(Extract, NeverGivesWhatIsNoNumber) {
    const ChunkMesh mesh = extract(Broken(1, 0.5), {0, 0, 0, 0});
    ASSERT_GT(mesh.positions.size(), 1000u);
    for (const MeshVector<Vector3>* vectors : {&mesh.positions, &mesh.normals}) {
        for (const Vector3& at : *vectors) EXPECT_TRUE(std::isfinite(at.x + at.y + at.z));
    }
}

TEST(Extract, ManyVerticesNeed32BitIndices) {
    ExtractOptions options;
    options.cells = kMostCells;
    const ChunkMesh large = extract(Static(1, 0.5), {0, 0, 0, 0}, options);
    ASSERT_GT(large.positions.size(), IndexList::kMostShortVertices);
    EXPECT_FALSE(large.indices.is_short());
    EXPECT_EQ(large.indices.long_indices().size(), large.indices.size());
    EXPECT_TRUE(extract(Ball({16, 16, 16}, 9), {0, 0, 0, 0}).indices.is_short());
    const test_support::Region region{{0, 0, 0}, {62, 62, 62}};
    const std::vector<Patch> patches{{large, 0}};
    EXPECT_EQ(test_support::by_identity(patches).open_edges(test_support::on_the_rim_of(region)), 0u);
}

TEST(Extract, RefusesOptionsOutOfRange) {
    const Ball field({0, 0, 0}, 5);
    const auto with_cells = [](std::int32_t cells) {
        ExtractOptions options;
        options.cells = cells;
        return options;
    };
    for (const std::int32_t cells : {-2, 0, 2, 7, 33, 63, 64}) {
        EXPECT_THROW(extract(field, {0, 0, 0, 0}, with_cells(cells)), std::invalid_argument) << cells;
    }
    EXPECT_THROW(extract(field, {-1, 0, 0, 0}), std::invalid_argument);
    EXPECT_THROW(extract(field, {8, 0, 0, 0}), std::invalid_argument);
    EXPECT_THROW(extract(field, {7, 0, 1 << 30, 0}), std::invalid_argument);
    EXPECT_THROW(extract(field, {0, 0, 0, std::numeric_limits<std::int32_t>::min()}), std::invalid_argument);
    ExtractOptions options;
    options.lattice.voxel_size = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(extract(field, {0, 0, 0, 0}, options), std::invalid_argument);
}

TEST(Extract, VoxelSizeAndOriginMoveTheFieldNotThePositions) {
    ExtractOptions half;
    half.lattice = {0.5, {100, 200, 300}};
    const ChunkMesh scaled = extract(Ball({108, 208, 308}, 5), {0, 0, 0, 0}, half);
    const ChunkMesh plain = extract(Ball({16, 16, 16}, 10), {0, 0, 0, 0});
    EXPECT_EQ(scaled.positions, plain.positions);
    EXPECT_EQ(scaled.indices, plain.indices);
}

// R18: the same mesh, bit for bit, for any number of workers.
TEST(Extract, HasTheSameHashOn1To8Workers) {
    const Ring field(30, 9);
    const std::vector<ChunkKey> keys = cube_of_chunks(-2, 2);
    std::vector<std::uint64_t> expected;
    for (const ChunkKey& key : keys) expected.push_back(content_hash(extract(field, key)));
    EXPECT_NE(expected.front(), expected.back());
    for (int workers = 1; workers <= 8; ++workers) {
        Pool pool(PoolOptions{.workers = workers});
        std::vector<std::uint64_t> hashes(keys.size());
        parallel_for(pool, std::size_t{0}, keys.size(),
                     [&](std::size_t i) { hashes[i] = content_hash(extract(field, keys[i])); });
        EXPECT_EQ(hashes, expected) << workers << " workers";
    }
}

// R18: and for any SIMD target.
TEST(Extract, HasTheSameHashOnEachSimdTarget) {
    const NoiseField field{NoiseOptions{}};
    const std::vector<ChunkKey> keys{{0, 0, 0, 0}, {0, -3, -1, 5}, {1, 2, 0, -1}, {2, 1, -1, 1}, {4, 0, 0, 0}};
    const SimdTarget best = simd_target();
    std::vector<std::uint64_t> expected;
    for (const ChunkKey& key : keys) {
        const ChunkMesh mesh = extract(field, key);
        EXPECT_EQ(mesh.content, ChunkContent::surface);
        expected.push_back(content_hash(mesh));
    }
    for (const SimdTarget target : simd_targets()) {
        force_simd_target(target);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            EXPECT_EQ(content_hash(extract(field, keys[i])), expected[i]) << name_of(target) << ", chunk " << i;
        }
    }
    force_simd_target(best);
}

TEST(Extract, AllocatesOnlyFromTheArenaOnceWarm) {
    const Ball field({16, 16, 16}, 20);
    ExtractScratch scratch;
    const ChunkMesh first = extract(field, {0, 0, 0, 0}, {}, scratch);
    ASSERT_FALSE(first.border.empty());
    const std::uint64_t before = quarry::test_support::allocation_count();
    const ChunkMesh second = extract(field, {0, 0, 0, 0}, {}, scratch);
    EXPECT_EQ(quarry::test_support::allocation_count(), before);
    EXPECT_EQ(first, second);
    const std::uint64_t before_far = quarry::test_support::allocation_count();
    EXPECT_EQ(extract(field, {0, 9, 0, 0}, {}, scratch).content, ChunkContent::rejected);
    EXPECT_EQ(quarry::test_support::allocation_count(), before_far);
}

}  // namespace
}  // namespace quarry::terrain
