#include "terrain/streaming/planner.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/world.hpp"
#include "terrain/streaming/keys.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain::streaming {
namespace {

using Place = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;

Place as_place(const ChunkKey& key) {
    return {key.lod, key.x, key.y, key.z};
}

// The plan of an octree world, with some hysteresis.
class PlannedWorld {
  public:
    explicit PlannedWorld(const OctreeOptions& options, double hysteresis = 0)
        : planner_(tree_,
                   {.cells = options.cells,
                    .max_lod = options.max_lod,
                    .radius = options.radius,
                    .lod_distance = options.lod_distance,
                    .hysteresis = hysteresis,
                    .may_have_surface = [this](const ChunkKey& key) { return !empty_.contains(as_place(key)); }}) {}

    void see(const std::vector<Position>& viewers) {
        std::vector<LatticePlace> places;
        for (const Position& viewer : viewers) places.push_back({viewer.x, viewer.y, viewer.z});
        planner_.update(places);
        changes_ = planner_.changed().size();
        planner_.clear_changed();
        planner_.collect();
    }

    std::set<Place> leaves() {
        std::set<Place> leaves;
        tree_.for_each([&](NodeIndex node) {
            if (tree_[node].is_leaf()) leaves.insert(as_place(tree_[node].key));
        });
        return leaves;
    }

    void make_empty(const ChunkKey& key) { empty_.insert(as_place(key)); }
    std::size_t changes() const { return changes_; }
    std::size_t looked_at() const { return planner_.looked_at(); }
    std::size_t nodes() const { return tree_.size(); }

  private:
    std::set<Place> empty_;
    NodeTree tree_;
    Planner planner_;
    std::size_t changes_ = 0;
};

std::set<Place> cut(OctreeOptions options, const std::vector<Position>& viewers, double scale = 1) {
    options.viewer = viewers.front();
    options.more_viewers.assign(viewers.begin() + 1, viewers.end());
    options.lod_distance *= scale;
    std::set<Place> leaves;
    for (const PlacedChunk& chunk : octree_world(options)) leaves.insert(as_place(chunk.key));
    return leaves;
}

OctreeOptions random_options(Random& random) {
    OctreeOptions options;
    options.cells = 8;
    options.max_lod = random.integer(0, 5);
    // From cuts whose balance is the work of distances to cuts in which nearly every node is split for it.
    options.lod_distance = options.cells * std::exp2(random.real(-2, 2.5));
    options.radius = std::min(options.lod_distance * std::exp2(random.real(0, options.max_lod + 0.5)), 500.0);
    return options;
}

Position walked(Position from, Random& random, double step) {
    const Position by = random.position(step);
    return {from.x + by.x, from.y + by.y, from.z + by.z};
}

class PlannerWalk : public testing::TestWithParam<std::uint64_t> {};

TEST_P(PlannerWalk, WithoutHysteresisIsTheOctreeWorldAtEveryStep) {
    Random random(GetParam());
    SCOPED_TRACE(random.seed());
    const OctreeOptions options = random_options(random);
    PlannedWorld plan(options);
    std::vector<Position> viewers{random.position(200)};
    for (int step = 0; step < 40; ++step) {
        const int kind = random.integer(0, 19);
        if (kind == 0) viewers.assign(1, random.position(100'000));
        if (kind == 1 && viewers.size() < 3) viewers.push_back(walked(viewers[0], random, 300));
        if (kind == 2 && viewers.size() > 1) viewers.pop_back();
        for (Position& viewer : viewers) viewer = walked(viewer, random, std::exp2(random.real(-3, 6)));
        plan.see(viewers);
        ASSERT_EQ(plan.leaves(), cut(options, viewers)) << "step " << step;
    }
}

TEST_P(PlannerWalk, WithHysteresisEachLeafLiesBetweenTwoCuts) {
    Random random(GetParam() + 1000);
    SCOPED_TRACE(random.seed());
    const OctreeOptions options = random_options(random);
    const double hysteresis = random.real(0.01, 0.4);
    PlannedWorld plan(options, hysteresis);
    std::vector<Position> viewers{random.position(200), random.position(200)};
    const auto level_at = [](const std::set<Place>& leaves, ChunkKey key) {
        for (; key.lod <= kCoarsestLod; key = parent_of(key)) {
            if (leaves.contains(as_place(key))) return key.lod;
        }
        return -1;
    };
    for (int step = 0; step < 30; ++step) {
        for (Position& viewer : viewers) viewer = walked(viewer, random, std::exp2(random.real(-3, 5)));
        plan.see(viewers);
        const std::set<Place> leaves = plan.leaves();
        const std::set<Place> coarse = cut(options, viewers, 1 / (1 + hysteresis));
        const std::set<Place> fine = cut(options, viewers, 1 + hysteresis);
        // Each place of the ball, by the finest leaf that any of the three has there.
        for (const auto& [lod, x, y, z] : fine) {
            ChunkKey corner{lod, x, y, z};
            while (level_at(leaves, corner) == -1 && corner.lod > 0) corner = child_of(corner, 0);
            if (level_at(leaves, corner) == -1) continue;  // beyond the radius
            const std::int32_t level = level_at(leaves, corner);
            EXPECT_GE(level, lod);
            if (level_at(coarse, corner) != -1) {
                EXPECT_LE(level, level_at(coarse, corner));
            }
        }
        // No hole: what the coarse cut covers is covered.
        for (const Place& place : coarse) {
            const ChunkKey corner{std::get<0>(place), std::get<1>(place), std::get<2>(place), std::get<3>(place)};
            const auto is_within = [&](const Place& leaf) {
                const auto [lod, x, y, z] = leaf;
                const std::int32_t up = corner.lod - lod;
                return up > 0 && x >> up == corner.x && y >> up == corner.y && z >> up == corner.z;
            };
            EXPECT_TRUE(level_at(leaves, corner) != -1 || std::any_of(leaves.begin(), leaves.end(), is_within));
        }
    }
}

TEST_P(PlannerWalk, IsBalancedAcrossFacesEdgesAndCornersWithHysteresis) {
    Random random(GetParam() + 2000);
    SCOPED_TRACE(random.seed());
    const OctreeOptions options = random_options(random);
    PlannedWorld plan(options, random.real(0, 0.4));
    Position viewer = random.position(200);
    for (int step = 0; step < 30; ++step) {
        viewer = walked(viewer, random, std::exp2(random.real(-3, 6)));
        plan.see({viewer});
        const std::set<Place> leaves = plan.leaves();
        for (const auto& [lod, x, y, z] : leaves) {
            for (std::int32_t place = 0; place < 27; ++place) {
                ChunkKey key{lod, x + place % 3 - 1, y + place / 3 % 3 - 1, z + place / 9 - 1};
                for (; key.lod <= kCoarsestLod && !leaves.contains(as_place(key));) key = parent_of(key);
                if (key.lod > kCoarsestLod) continue;
                ASSERT_LE(key.lod, lod + 1);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PlannerWalk, testing::Range<std::uint64_t>(1, 31));

TEST(Planner, StopsChangingAfterOneUpdateOfAStillViewer) {
    Random random(5);
    SCOPED_TRACE(random.seed());
    const OctreeOptions options{.radius = 400, .lod_distance = 30, .max_lod = 4, .cells = 8};
    PlannedWorld plan(options, 0.15);
    for (int step = 0; step < 100; ++step) {
        const Position viewer = random.position(300);
        plan.see({viewer});
        plan.see({viewer});
        EXPECT_EQ(plan.changes(), 0u);
        EXPECT_EQ(plan.looked_at(), 0u);
    }
}

TEST(Planner, DoesNotFlickerWhereAViewerTurnsBackAndForth) {
    PlannedWorld plan({.radius = 400, .lod_distance = 30, .max_lod = 4, .cells = 8}, 0.1);
    for (const double x : {0.0, 2.0, 0.0, 2.0}) plan.see({{x, 0, 0}});
    for (int step = 0; step < 20; ++step) {
        plan.see({{step % 2 == 0 ? 0.0 : 2.0, 0, 0}});
        EXPECT_EQ(plan.changes(), 0u);
    }
    PlannedWorld without({.radius = 400, .lod_distance = 30, .max_lod = 4, .cells = 8});
    for (const double x : {0.0, 5.0, 0.0, 5.0}) without.see({{x, 0, 0}});
    EXPECT_GT(without.changes(), 0u);
}

TEST(Planner, LooksAtFewNodesWhenAViewerMovesALittle) {
    PlannedWorld plan({.radius = 1024, .lod_distance = 128, .max_lod = 5}, 0.1);
    plan.see({{0, 0, 0}});
    const std::size_t all = plan.nodes();
    std::size_t looked_at = 0;
    for (int step = 1; step <= 100; ++step) {
        plan.see({{step * 1.7, 0, 0}});
        looked_at += plan.looked_at();
    }
    EXPECT_GT(all, 2'000u);
    EXPECT_LT(looked_at / 100, all / 10);
}

TEST(Planner, LeavesEmptyNodesWhole) {
    const OctreeOptions options{.radius = 200, .lod_distance = 30, .max_lod = 4, .cells = 8};
    PlannedWorld plan(options);
    plan.make_empty({3, 0, 0, 0});
    plan.see({{5, 5, 5}});
    const std::set<Place> leaves = plan.leaves();
    EXPECT_TRUE(leaves.contains({3, 0, 0, 0}));
    EXPECT_TRUE(std::none_of(leaves.begin(), leaves.end(), [](const Place& leaf) {
        const auto [lod, x, y, z] = leaf;
        return lod < 3 && x >> (3 - lod) == 0 && y >> (3 - lod) == 0 && z >> (3 - lod) == 0;
    }));
    // The rest is as it would be without.
    std::set<Place> expected = cut(options, {{5, 5, 5}});
    std::erase_if(expected, [](const Place& leaf) {
        const auto [lod, x, y, z] = leaf;
        return lod < 3 && x >> (3 - lod) == 0 && y >> (3 - lod) == 0 && z >> (3 - lod) == 0;
    });
    expected.insert({3, 0, 0, 0});
    EXPECT_EQ(leaves, expected);
}

TEST(Planner, ForgetsWhatIsFarAway) {
    PlannedWorld plan({.radius = 200, .lod_distance = 30, .max_lod = 4, .cells = 8}, 0.1);
    plan.see({{0, 0, 0}});
    const std::size_t first = plan.nodes();
    for (int step = 1; step < 200; ++step) plan.see({{step * 50.0, 0, 0}});
    EXPECT_LT(plan.nodes(), 2 * first);
    plan.see({{0, 1e6, 0}});
    EXPECT_LT(plan.nodes(), 2 * first);
}

}  // namespace
}  // namespace quarry::terrain::streaming
