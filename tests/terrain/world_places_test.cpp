#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/world.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain {
namespace {

using Place = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;

Place place_of(const ChunkKey& key) {
    return {key.lod, key.x, key.y, key.z};
}

std::set<Place> places_of(const std::vector<PlacedChunk>& chunks) {
    std::set<Place> places;
    for (const PlacedChunk& chunk : chunks) places.insert(place_of(chunk.key));
    EXPECT_EQ(places.size(), chunks.size()) << "a chunk is there twice";
    return places;
}

// R3
TEST(SphereWorld, OfRadius1024Has137376Chunks) {
    const std::vector<PlacedChunk> chunks = sphere_world(1024);
    EXPECT_EQ(chunks.size(), 137'376u);
    places_of(chunks);
}

TEST(SphereWorld, HoldsExactlyTheChunksWhoseMiddleLiesWithin) {
    Random random(1);
    SCOPED_TRACE(random.seed());
    for (int round = 0; round < 20; ++round) {
        const GridOptions options{
            .lod = random.integer(0, 3), .cells = 2 * random.integer(2, 31), .voxel_size = random.real(0.1, 3)};
        const double width = options.cells * options.voxel_size * (1 << options.lod);
        const double radius = random.real(0.1, 7) * width;
        std::set<Place> expected;
        for (std::int32_t place = 0; place < 16 * 16 * 16; ++place) {
            const std::int32_t x = place % 16 - 8, y = place / 16 % 16 - 8, z = place / 256 - 8;
            if (std::hypot(x + 0.5, y + 0.5, z + 0.5) * width <= radius) expected.insert({options.lod, x, y, z});
        }
        EXPECT_EQ(places_of(sphere_world(radius, options)), expected);
    }
}

TEST(SphereWorld, TooSmallForAChunkIsEmpty) {
    EXPECT_TRUE(sphere_world(27).empty());
    EXPECT_EQ(sphere_world(28).size(), 8u);
}

TEST(BoxWorld, IsRoundedUpToWholeChunksAndCentred) {
    const std::vector<PlacedChunk> chunks = box_world({100, 32, 33});
    std::set<Place> expected;
    for (std::int32_t x = -2; x < 2; ++x) {
        for (std::int32_t z = -1; z < 1; ++z) expected.insert({0, x, 0, z});
    }
    EXPECT_EQ(places_of(chunks), expected);
    EXPECT_EQ(box_world({640, 320, 960}, {.lod = 1, .cells = 10, .voxel_size = 2}).size(), 16u * 8 * 24);
}

TEST(Worlds, NeighboursInTheListLieInOneBlock) {
    const std::vector<PlacedChunk> chunks = box_world({32 * 8, 32 * 8, 32 * 8});
    ASSERT_EQ(chunks.size(), 512u);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const ChunkKey& first = chunks[i - i % 64].key;
        EXPECT_EQ(chunks[i].key.x >> 2, first.x >> 2);
        EXPECT_EQ(chunks[i].key.y >> 2, first.y >> 2);
        EXPECT_EQ(chunks[i].key.z >> 2, first.z >> 2);
    }
}

TEST(Worlds, TooManyChunksAreRefusedWithTheirNumberBeforeMemoryIsTaken) {
    EXPECT_EQ(refusal_of([] { sphere_world(1024, {.most_chunks = 137'375}); }),
              "the world has 137376 chunks; at most 137375 are allowed");
    EXPECT_NO_THROW(sphere_world(1024, {.most_chunks = 137'376}));
    EXPECT_NE(refusal_of([] { sphere_world(1e6); }).find("chunks; at most 100000000"), std::string::npos);
    EXPECT_EQ(refusal_of([] {
                  box_world({1e6, 1e6, 1e6});
              }),
              "the world has 30517578125000 chunks; at most 100000000 are allowed");
    EXPECT_NE(refusal_of([] {
                  box_world({1e9, 1e9, 1e9}, {.cells = 4, .voxel_size = 1e-6});
              }).find("chunks"),
              std::string::npos);
    EXPECT_NE(refusal_of([] { octree_world({.radius = 1e6, .lod_distance = 1e6}); }).find("chunks"), std::string::npos);
    const std::size_t count = octree_world({}).size();
    EXPECT_NO_THROW(octree_world({.most_chunks = count}));
    EXPECT_NE(refusal_of([&] { octree_world({.most_chunks = count - 1}); }).find("chunks"), std::string::npos);
}

TEST(Worlds, BeyondTheLatticeAreRefused) {
    EXPECT_NE(refusal_of([] { box_world({1, 1, 1e8}, {.voxel_size = 0.04}); }).find("voxels"), std::string::npos);
    EXPECT_NE(refusal_of([] {
                  octree_world({.viewer = {1e9, 0, 0}, .lattice = {.voxel_size = 0.5}});
              }).find("voxels"),
              std::string::npos);
}

TEST(Worlds, OptionsOutOfRangeAreRefusedByName) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinite = std::numeric_limits<double>::infinity();
    for (const double size : {0.0, -1.0, nan, infinite, 1e10}) {
        EXPECT_EQ(refusal_of([&] { sphere_world(size); }).find("radius is "), 0u) << size;
        EXPECT_EQ(refusal_of([&] { box_world({32, size, 32}); }).find("size.y is "), 0u) << size;
        EXPECT_EQ(refusal_of([&] { octree_world({.radius = size}); }).find("radius is "), 0u) << size;
        EXPECT_EQ(refusal_of([&] { octree_world({.lod_distance = size}); }).find("lod_distance is "), 0u) << size;
        EXPECT_EQ(refusal_of([&] { sphere_world(1, {.voxel_size = size}); }).find("voxel_size is "), 0u) << size;
        EXPECT_EQ(refusal_of([&] { octree_world({.lattice = {.voxel_size = size}}); }).find("voxel_size is "), 0u);
    }
    EXPECT_EQ(refusal_of([&] { octree_world({.viewer = {0, nan, 0}}); }).find("viewer is "), 0u);
    EXPECT_EQ(refusal_of([&] { octree_world({.lattice = {.origin = {infinite, 0, 0}}}); }).find("origin is "), 0u);
    EXPECT_EQ(refusal_of([] { octree_world({.max_lod = 8}); }).find("max_lod is 8; 0 to 7"), 0u);
    EXPECT_EQ(refusal_of([] { sphere_world(1, {.lod = -1}); }).find("lod is -1; 0 to 7"), 0u);
    for (const std::int32_t cells : {0, 2, 33, 64, -32}) {
        EXPECT_EQ(refusal_of([&] { sphere_world(1, {.cells = cells}); }).find("cells is "), 0u);
        EXPECT_EQ(refusal_of([&] { octree_world({.cells = cells}); }).find("cells is "), 0u);
    }
}

// A cut as a set that can be asked for the leaf at a place.
class Leaves {
  public:
    explicit Leaves(const std::vector<PlacedChunk>& chunks) : places_(places_of(chunks)) {}

    bool has(const ChunkKey& key) const { return places_.contains(place_of(key)); }

    // The level of the leaf that holds the chunk; -1 where there is none as coarse as that.
    std::int32_t level_at(ChunkKey key) const {
        for (; key.lod <= kCoarsestLod; key = {key.lod + 1, key.x >> 1, key.y >> 1, key.z >> 1}) {
            if (has(key)) return key.lod;
        }
        return -1;
    }

  private:
    std::set<Place> places_;
};

class RandomOctree : public testing::TestWithParam<std::uint64_t> {
  protected:
    RandomOctree() {
        Random random(GetParam());
        seed_ = random.seed();
        options_.cells = 2 * random.integer(2, 20);
        options_.lattice.voxel_size = random.real(0.2, 4);
        options_.lattice.origin = random.position(100);
        options_.viewer = random.position(3000);
        options_.max_lod = random.integer(0, 6);
        const double width = options_.cells * options_.lattice.voxel_size;
        // From cuts whose balance is the work of distances to cuts in which nearly every node is split for it.
        options_.lod_distance = width * std::exp2(random.real(-4, 2));
        options_.radius = options_.lod_distance * std::exp2(random.real(0, options_.max_lod + 0.5));
        chunks_ = octree_world(options_);
        points_ = random;
    }

    double width(std::int32_t lod) const { return options_.cells * options_.lattice.voxel_size * (1 << lod); }

    double distance(const ChunkKey& key) const {
        const auto along = [&](std::int32_t place, double at, double origin) {
            const double low = place * width(key.lod) + origin;
            return std::max({low - at, at - (low + width(key.lod)), 0.0});
        };
        const Position& origin = options_.lattice.origin;
        return std::hypot(along(key.x, options_.viewer.x, origin.x), along(key.y, options_.viewer.y, origin.y),
                          along(key.z, options_.viewer.z, origin.z));
    }

    std::uint64_t seed_ = 0;
    OctreeOptions options_;
    std::vector<PlacedChunk> chunks_;
    Random points_{0};
};

TEST_P(RandomOctree, CoversTheBallWithoutHoleOrOverlap) {
    SCOPED_TRACE(seed_);
    ASSERT_FALSE(chunks_.empty());
    const Leaves leaves(chunks_);
    double volume = 0;
    for (const PlacedChunk& chunk : chunks_) {
        EXPECT_LT(distance(chunk.key), options_.radius * (1 + 1e-12));
        EXPECT_LE(chunk.key.lod, options_.max_lod);
        const ChunkKey& key = chunk.key;
        EXPECT_EQ(leaves.level_at({key.lod + 1, key.x >> 1, key.y >> 1, key.z >> 1}), -1) << "two leaves overlap";
        volume += std::pow(width(key.lod), 3);
    }
    EXPECT_GE(volume, 4.0 / 3 * 3.14159265358979 * std::pow(options_.radius, 3));
    for (int i = 0; i < 2000; ++i) {
        Position offset = points_.position(options_.radius);
        const double length = std::hypot(offset.x, offset.y, offset.z);
        if (length > options_.radius) continue;
        const auto chunk = [&](double viewer, double along, double origin) {
            return static_cast<std::int32_t>(std::floor((viewer + along - origin) / width(0)));
        };
        const Position& origin = options_.lattice.origin;
        const ChunkKey key{0, chunk(options_.viewer.x, offset.x, origin.x),
                           chunk(options_.viewer.y, offset.y, origin.y), chunk(options_.viewer.z, offset.z, origin.z)};
        const std::int32_t level = leaves.level_at(key);
        ASSERT_NE(level, -1) << "a hole";
        // Each level reaches as far as was asked for.
        const double reach_of_finer = level > 0 ? options_.lod_distance * std::exp2(level - 1) : 0;
        EXPECT_GE(length * (1 + 1e-9), reach_of_finer);
    }
}

TEST_P(RandomOctree, IsBalancedAcrossFacesEdgesAndCornersWithTheRightMasks) {
    SCOPED_TRACE(seed_);
    const Leaves leaves(chunks_);
    for (const PlacedChunk& chunk : chunks_) {
        const auto [lod, x, y, z] = chunk.key;
        std::uint32_t mask = 0;
        for (std::int32_t place = 0; place < 27; ++place) {
            const std::int32_t dx = place % 3 - 1, dy = place / 3 % 3 - 1, dz = place / 9 - 1;
            const std::int32_t level = leaves.level_at({lod, x + dx, y + dy, z + dz});
            if (level == -1) continue;
            EXPECT_LE(level, lod + 1);
            if (std::abs(dx) + std::abs(dy) + std::abs(dz) != 1 || level == lod) continue;
            const std::int32_t axis = dx != 0 ? 0 : dy != 0 ? 1 : 2;
            mask |= (dx + dy + dz < 0 ? 1u : 2u) << 2 * axis;
        }
        EXPECT_EQ(chunk.mask, mask);
    }
}

TEST_P(RandomOctree, SplitsNoMoreThanDistanceAndBalanceAsk) {
    SCOPED_TRACE(seed_);
    // All nodes that are split, by the definition: those that come close, and from fine to coarse those that touch or
    // hold one of these.
    std::map<std::int32_t, std::set<Place>> split;
    for (const PlacedChunk& chunk : chunks_) {
        for (ChunkKey key = chunk.key; key.lod < options_.max_lod;) {
            key = {key.lod + 1, key.x >> 1, key.y >> 1, key.z >> 1};
            split[key.lod].insert(place_of(key));
        }
    }
    const double reach = options_.lod_distance;
    for (const auto& [lod, nodes] : split) {
        for (const auto& [level, x, y, z] : nodes) {
            if (distance({level, x, y, z}) < reach * std::exp2(level - 1) * (1 + 1e-9)) continue;
            // For the balance, then: a node that touches it or lies in it, one level finer, comes close enough itself
            // or is split for the balance in turn. Each level adds at most the diagonal of its nodes to the distance.
            double most = 0;
            for (std::int32_t finer = 1; finer < level; ++finer) {
                most = std::max(most, reach * std::exp2(finer - 1)) + std::sqrt(3.0) * width(finer);
            }
            EXPECT_LE(distance({level, x, y, z}), most * (1 + 1e-9));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomOctree, testing::Range<std::uint64_t>(1, 41));

TEST(OctreeWorld, OfTheDefaultOptionsHasALevelForEachReach) {
    const std::vector<PlacedChunk> chunks = octree_world({});
    std::map<std::int32_t, std::size_t> levels;
    for (const PlacedChunk& chunk : chunks) ++levels[chunk.key.lod];
    // LOD 5 starts at 2048 units: there the ball ends.
    EXPECT_EQ(levels.size(), 5u);
    EXPECT_EQ(chunks, octree_world({}));
    EXPECT_TRUE(std::all_of(chunks.begin(), chunks.end(),
                            [](const PlacedChunk& chunk) { return chunk.key.lod < 4 || chunk.mask == 0; }));
}

TEST(OctreeWorld, WithLodZeroOnlyIsAGrid) {
    const std::vector<PlacedChunk> chunks = octree_world({.viewer = {16, 16, 16}, .radius = 15, .max_lod = 0});
    ASSERT_EQ(chunks.size(), 1u);
    EXPECT_EQ(chunks[0], (PlacedChunk{{0, 0, 0, 0}, 0}));
}

}  // namespace
}  // namespace quarry::terrain
