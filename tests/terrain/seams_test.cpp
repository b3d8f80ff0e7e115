#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/closedness.hpp"
#include "quarry/terrain/extract.hpp"
#include "tests/terrain/patchwork.hpp"
#include "tests/terrain/support.hpp"
#include "tests/terrain/surface_check.hpp"
#include "tests/terrain/test_fields.hpp"

// R17: no crack within a chunk, across chunks and across levels of detail, for all 64 side masks.

namespace quarry::terrain {
namespace {

using test_support::Ball;
using test_support::by_identity;
using test_support::by_position;
using test_support::on_the_rim_of;
using test_support::Patch;
using test_support::Region;
using test_support::Static;
using test_support::Surface;

constexpr std::int32_t kCells = 8;

std::array<std::int32_t, 3> neighbour(std::array<std::int32_t, 3> at, std::uint32_t side) {
    at[side / 2] += side % 2 == 0 ? -1 : 1;
    return at;
}

// Blocks of one size, any of which may be fine (kCells at LOD 0) or coarse (half as many at LOD 1).
class Blocks {
  public:
    Blocks(std::int32_t per_axis, std::int32_t first) : per_axis_(per_axis), first_(first) {}

    void set_coarse(std::array<std::int32_t, 3> at) { coarse_.insert(at); }
    bool is_coarse(std::array<std::int32_t, 3> at) const { return coarse_.contains(at); }

    std::uint32_t mask(std::array<std::int32_t, 3> at) const {
        std::uint32_t mask = 0;
        if (is_coarse(at)) return 0;
        for (std::uint32_t side = 0; side < side::count; ++side) {
            if (is_coarse(neighbour(at, side))) mask |= 1u << side;
        }
        return mask;
    }

    std::vector<Patch> mesh(const Field& field) const {
        std::vector<Patch> patches;
        for_each([&](std::array<std::int32_t, 3> at) {
            const std::int32_t lod = is_coarse(at) ? 1 : 0;
            ExtractOptions options;
            options.cells = kCells >> lod;
            patches.push_back({extract(field, {lod, at[0], at[1], at[2]}, options), mask(at)});
        });
        return patches;
    }

    template <class Visit>
    void for_each(Visit visit) const {
        for (std::int32_t z = first_; z < first_ + per_axis_; ++z) {
            for (std::int32_t y = first_; y < first_ + per_axis_; ++y) {
                for (std::int32_t x = first_; x < first_ + per_axis_; ++x) visit(std::array{x, y, z});
            }
        }
    }

    Region region() const {
        const double low = first_ * kCells;
        const double high = (first_ + per_axis_) * kCells;
        return {{low, low, low}, {high, high, high}};
    }

  private:
    std::int32_t per_axis_;
    std::int32_t first_;
    std::set<std::array<std::int32_t, 3>> coarse_;
};

void expect_no_crack(const std::vector<Patch>& patches, const Region& region) {
    const Surface identity = by_identity(patches);
    EXPECT_EQ(identity.open_edges(on_the_rim_of(region)), 0u);
    EXPECT_EQ(identity.repeated_edges(), 0u);
    EXPECT_EQ(identity.bad_links(on_the_rim_of(region)), 0u);
    EXPECT_EQ(by_position(patches).open_edges(on_the_rim_of(region)), 0u);
}

class SeamsOfRandomSigns : public testing::TestWithParam<double> {};

TEST_P(SeamsOfRandomSigns, AreClosedAndManifoldForAll64Masks) {
    std::set<std::uint32_t> seen;
    for (std::uint32_t mask = 0; mask < 64; ++mask) {
        Blocks blocks(3, -1);
        for (std::uint32_t side = 0; side < side::count; ++side) {
            if ((mask >> side & 1) != 0) blocks.set_coarse(neighbour({0, 0, 0}, side));
        }
        ASSERT_EQ(blocks.mask({0, 0, 0}), mask);
        SCOPED_TRACE(seed_text() + ", mask " + std::to_string(mask));
        expect_no_crack(blocks.mesh(Static(test_seed() + mask, GetParam())), blocks.region());
    }
}

TEST_P(SeamsOfRandomSigns, AreClosedAndManifoldWhere8BlocksOfMixedLodMeet) {
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
        std::mt19937_64 random(test_seed() + seed);
        Blocks blocks(4, -2);
        blocks.for_each([&](std::array<std::int32_t, 3> at) {
            if (random() % 2 == 0) blocks.set_coarse(at);
        });
        SCOPED_TRACE(seed_text() + ", blocks " + std::to_string(seed));
        expect_no_crack(blocks.mesh(Static(test_seed() + seed, GetParam())), blocks.region());
    }
}

INSTANTIATE_TEST_SUITE_P(Densities, SeamsOfRandomSigns, testing::Values(0.3, 0.5, 0.7));

TEST(Seams, EveryWayToMix8BlocksAroundACornerIsClosed) {
    for (std::uint32_t coarse = 0; coarse < 256; ++coarse) {
        Blocks blocks(2, -1);
        blocks.for_each([&](std::array<std::int32_t, 3> at) {
            const int corner = (at[0] + 1) + 2 * (at[1] + 1) + 4 * (at[2] + 1);
            if ((coarse >> corner & 1) != 0) blocks.set_coarse(at);
        });
        SCOPED_TRACE(seed_text() + ", coarse blocks " + std::to_string(coarse));
        expect_no_crack(blocks.mesh(Static(test_seed() + coarse, 0.5)), blocks.region());
    }
}

TEST(Seams, ABallAcrossMixedBlocksEnclosesItsVolume) {
    const double radius = 11;
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        std::mt19937 random(seed);
        Blocks blocks(4, -2);
        blocks.for_each([&](std::array<std::int32_t, 3> at) {
            if (random() % 2 == 0) blocks.set_coarse(at);
        });
        const std::vector<Patch> patches = blocks.mesh(Ball({0.3, -0.2, 0.1}, radius));
        const Surface identity = by_identity(patches);
        EXPECT_EQ(identity.open_edges(test_support::never_open), 0u);
        EXPECT_EQ(identity.bad_links(test_support::never_open), 0u);
        EXPECT_EQ(identity.euler_characteristic(), 2);
        const Surface drawn = by_position(patches);
        EXPECT_EQ(drawn.open_edges(test_support::never_open), 0u);
        const double exact = 4.0 / 3 * 3.14159265358979 * radius * radius * radius;
        EXPECT_NEAR(drawn.volume() / exact, 1, 0.03) << "seed " << seed;
    }
}

// Two of its own vertices move to one place here. They were taken for one, and later moved apart: a crack.
TEST(Seams, OwnVerticesThatMoveToOnePlaceStayTwo) {
    const ChunkKey key{0, -10, 4, -10};
    const ChunkMesh chunk = extract(Static(7, 0.5), key, {.cells = kCells});
    for (std::uint32_t mask = 0; mask < 64; ++mask) {
        const Mesh mesh = bake(chunk, mask);
        EXPECT_EQ(check_closedness({&mesh, 1}, {&key, 1}, kCells).cracks, 0u) << "mask " << mask;
    }
}

TEST(Seams, CoarseChunkHasTheVerticesAndNormalsOfTheFineOnesHalfResolutionSide) {
    const Ball field({0, 0, 0}, 9);
    ExtractOptions options;
    options.cells = kCells;
    const ChunkMesh fine = extract(field, {0, 0, 0, 0}, options);
    options.cells = kCells / 2;
    const ChunkMesh coarse = extract(field, {1, 1, 0, 0}, options);
    const Mesh baked = bake(fine, side::high_x);
    std::size_t shared = 0;
    for (std::size_t i = fine.full_vertices; i < baked.positions.size(); ++i) {
        bool found = false;
        for (std::size_t j = 0; j < coarse.full_vertices; ++j) {
            const Vector3 at = coarse.positions[j];
            const Vector3 in_fine{kCells + 2 * at.x, 2 * at.y, 2 * at.z};
            if (in_fine == baked.positions[i]) found = coarse.normals[j] == baked.normals[i];
        }
        EXPECT_TRUE(found) << "vertex " << i;
        ++shared;
    }
    EXPECT_GT(shared, 3u);
}

}  // namespace
}  // namespace quarry::terrain
