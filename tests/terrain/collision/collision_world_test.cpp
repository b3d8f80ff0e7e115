// A collision world with a pool's workers, and the questions it answers.
#include "quarry/terrain/collision_world.hpp"

#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/raycast.hpp"
#include "terrain/collision/contact.hpp"
#include "tests/terrain/collision/scripted_jobs.hpp"

namespace quarry::terrain::collision {
namespace {

using namespace std::chrono_literals;

CollisionOptions small_world() {
    CollisionOptions options;
    options.cells = 16;
    options.radius = 24;
    return options;
}

// Until all is delivered; a minute at most.
void settle(CollisionWorld& world, const std::vector<Position>& anchors, ShapeHost& host) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    do {
        world.update(anchors);
        world.inbox().deliver(DeliveryBudget::everything(), [&](CollisionEvent& event) { host.take(event); });
        if (world.at_rest()) return;
        std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < end);
    FAIL() << "does not come to rest";
}

TEST(CollisionWorld, HasTheSamePatchesWhateverTheWorkers) {
    std::map<std::uint32_t, std::vector<std::uint64_t>> hashes;
    for (const int workers : {1, 2, 4}) {
        Pool pool({.workers = workers});
        EditWorld ground(hills());
        CollisionWorld world(pool, ground.field(), small_world());
        ShapeHost host;
        settle(world, {{0, 0, 0}}, host);
        for (int i = 0; i < 10; ++i) {
            const EditReport report =
                ground.apply({.kind = EditKind::dig, .at = {i - 5.0, 0, i * 1.0}, .radius = 2.5F});
            if (report.any()) world.edit(ground.field(), report.changed);
            world.update(std::vector<Position>{{i * 2.0, 0, 0}});
        }
        settle(world, {{20, 0, 0}}, host);
        std::vector<std::uint64_t> all;
        for (const auto& [id, patch] : host.shapes) all.push_back(patch->hash);
        std::sort(all.begin(), all.end());
        EXPECT_GT(all.size(), 10u);
        hashes[static_cast<std::uint32_t>(workers)] = all;
        host.expect_is(*ground.field(), keys_around({{20, 0, 0}}, 26, 16), 16);
    }
    // What is kept beyond the radius depends on the way only, which was the same.
    EXPECT_EQ(hashes[1], hashes[2]);
    EXPECT_EQ(hashes[1], hashes[4]);
}

TEST(CollisionWorld, ADigUnderABodyIsDeliveredInTheSameFrame) {
    Pool pool({.workers = 2});
    EditWorld ground(hills());
    CollisionOptions options = small_world();
    options.wait = 1;  // a loaded machine may take its time; how long it takes is measured by the benchmark
    CollisionWorld world(pool, ground.field(), options);
    ShapeHost host;
    const std::vector<Position> anchors{{3, 0, 5}};
    settle(world, anchors, host);
    for (int i = 0; i < 20; ++i) {
        const double y = world.highest_ground_below(3, 30, 5).height.value();
        const EditReport report = ground.apply({.kind = EditKind::dig, .at = {3, y, 5}, .radius = 2});
        ASSERT_TRUE(report.any());
        world.edit(ground.field(), report.changed);
        const std::vector<Position> body{{3, y, 5}};
        world.update(body);
        world.inbox().deliver(0ms, [&](CollisionEvent& event) { host.take(event); });
        EXPECT_TRUE(world.ready_around({3, y, 5}, 0.5));
        const GroundAnswer below = world.highest_ground_below(3, y + 1, 5);
        ASSERT_TRUE(below);
        EXPECT_EQ(below.source, AnswerSource::patches);
        EXPECT_LT(*below.height, y - 1);
    }
    EXPECT_EQ(world.stats().late, 0u);
    // The first update had nothing near to wait for but all that is near.
    EXPECT_GE(world.stats().in_frame, 20u);
}

TEST(CollisionWorld, MayEndAtAnyMoment) {
    Pool pool({.workers = 2});
    for (int i = 0; i < 30; ++i) {
        EditWorld ground(hills());
        CollisionOptions options = small_world();
        options.wait = 0;
        CollisionWorld world(pool, ground.field(), options);
        ShapeHost host;
        for (int frame = 0; frame < i % 6; ++frame) {
            world.update(std::vector<Position>{{frame * 9.0, 0, 0}});
            const EditReport report = ground.apply({.kind = EditKind::dig, .at = {frame * 9.0, 0, 0}, .radius = 4});
            if (report.any()) world.edit(ground.field(), report.changed);
            world.inbox().deliver(DeliveryBudget::only_items(5), [&](CollisionEvent& event) { host.take(event); });
        }
    }
}

TEST(CollisionWorld, RefusesAnotherThreadAndNoField) {
    Pool pool({.workers = 1});
    EXPECT_THROW(CollisionWorld(pool, nullptr), std::invalid_argument);
    EXPECT_THROW(CollisionWorld(pool, hills(), {.radius = -1}), std::invalid_argument);
    CollisionWorld world(pool, hills());
    std::thread([&] {
        EXPECT_THROW(world.update({}), Error);
        EXPECT_THROW(world.raycast({}, {0, -1, 0}), Error);
    }).join();
}

// A world whose patches are at hand around (0, 0, 0), and all of its triangles.
struct Asked {
    explicit Asked(const std::shared_ptr<const Field>& field, double voxel_size = 1)
        : world(pool, field, with(voxel_size)), voxel(voxel_size) {
        settle(world, {{0, 0, 0}}, host);
        for (const auto& [id, patch] : host.shapes) {
            for (const PlaceTriangle& t : triangles_of(*patch, 16)) {
                const auto vec = [&](const Place& at) { return Vec{at[0] * voxel, at[1] * voxel, at[2] * voxel}; };
                triangles.push_back({vec(t[0]), vec(t[1]), vec(t[2])});
            }
        }
    }
    static CollisionOptions with(double voxel_size) {
        CollisionOptions options = small_world();
        options.lattice.voxel_size = voxel_size;
        options.radius *= voxel_size;
        options.near = voxel_size;
        return options;
    }
    double gap(const Vec& at, double radius) const {
        double nearest = 1e9;
        for (const Triangle& t : triangles) {
            const Vec away = at - nearest_on(t, at);
            nearest = std::min(nearest, std::sqrt(dot(away, away)));
        }
        return nearest - radius;
    }

    Pool pool{{.workers = 2}};
    CollisionWorld world;
    double voxel;
    ShapeHost host;
    std::vector<Triangle> triangles;
};

TEST(CollisionQueries, SweepsStopWhereASlowSearchSaysTheyFirstTouch) {
    Random random(51);
    SCOPED_TRACE(seed_text());
    for (const double voxel : {1.0, 0.25}) {
        const Asked asked(hills(), voxel);
        int hits = 0;
        for (int round = 0; round < 24; ++round) {
            const double x = random.real(-8, 8) * voxel;
            const double z = random.real(-8, 8) * voxel;
            const double ground = asked.world.ground_at(x, z, -18 * voxel, 18 * voxel).height.value_or(-4 * voxel);
            const Vec from{x, ground + random.real(1.6, 5) * voxel, z};
            const Vec way{random.real(-1, 1), random.real(-1, 0.1), random.real(-1, 1)};
            const double length = std::sqrt(dot(way, way));
            const double radius = random.real(0.1, 1.5) * voxel;
            const double reach = 12 * voxel;
            const SweepAnswer answer =
                asked.world.sweep({from.x, from.y, from.z}, {way.x, way.y, way.z}, radius, reach);
            EXPECT_EQ(answer.source, AnswerSource::patches);
            double marched = 0;
            const Vec step = way * (1 / length);
            for (int i = 0; i < 2000 && marched <= reach; ++i) {
                const double gap = asked.gap(from + step * marched, radius);
                if (gap < 1e-7 * voxel) break;
                marched += gap;
            }
            if (!answer.hit) {
                EXPECT_GT(marched, reach - 1e-3 * voxel);
                continue;
            }
            ++hits;
            EXPECT_NEAR(marched, answer.hit->distance, 1e-3 * voxel);
            EXPECT_LE(marched, answer.hit->distance + 1e-6 * voxel);
            const Position& c = answer.hit->centre;
            if (answer.hit->distance > 0) {
                EXPECT_NEAR(asked.gap({c.x, c.y, c.z}, radius), 0, 1e-6 * voxel);
            }
            const Position& p = answer.hit->contact;
            EXPECT_NEAR(asked.gap({p.x, p.y, p.z}, 0), 0, 1e-6 * voxel);
            const Position& n = answer.hit->normal;
            EXPECT_NEAR(std::hypot(n.x, n.y, n.z), 1, 1e-9);
        }
        EXPECT_GT(hits, 5);
    }
}

TEST(CollisionQueries, RaysMeetWhatASlowSearchMeets) {
    Random random(52);
    SCOPED_TRACE(seed_text());
    const Asked asked(hills());
    int hits = 0;
    for (int round = 0; round < 300; ++round) {
        const Vec from{random.real(-8, 8), random.real(6, 20), random.real(-8, 8)};
        const Vec way{random.real(-0.4, 0.4), -1, random.real(-0.4, 0.4)};
        const double length = std::sqrt(dot(way, way));
        std::optional<Crossing> first;
        for (const Triangle& t : asked.triangles) {
            const auto found = crossing(from, way, t);
            if (found && (!first || found->distance < first->distance)) first = found;
        }
        const RayAnswer answer = asked.world.raycast({from.x, from.y, from.z}, {way.x, way.y, way.z}, {.reach = 25});
        const bool is_reached = first && first->distance * length <= 25;
        if (answer.source != AnswerSource::patches) continue;  // left the radius
        ASSERT_EQ(answer.hit.has_value(), is_reached);
        if (!answer.hit) continue;
        ++hits;
        const double wanted = first->leaves ? 0 : first->distance * length;
        EXPECT_NEAR(answer.hit->distance, wanted, 1e-9);
    }
    EXPECT_GT(hits, 100);
}

TEST(CollisionQueries, SayWhereTheAnswerCameFrom) {
    const Asked asked(hills());
    const auto field = hills();
    // At hand.
    const GroundAnswer here = asked.world.ground_at(0.3, 0.4, -20, 20);
    ASSERT_TRUE(here);
    EXPECT_EQ(here.source, AnswerSource::patches);
    EXPECT_NEAR(*here.height, highest_ground_below(*field, 0.3, 20, 0.4).value(), 0.5);
    // Far away.
    const GroundAnswer there = asked.world.ground_at(500.3, 0.4, -200, 200);
    ASSERT_TRUE(there);
    EXPECT_EQ(there.source, AnswerSource::field);
    EXPECT_NEAR(*there.height, highest_ground_below(*field, 500.3, 200, 0.4).value(), 1e-3);
    // From far above into what is at hand.
    const GroundAnswer from_above = asked.world.highest_ground_below(0.3, 500, 0.4);
    ASSERT_TRUE(from_above);
    EXPECT_EQ(from_above.source, AnswerSource::both);
    EXPECT_NEAR(*from_above.height, *here.height, 1e-9);
    // Nothing.
    EXPECT_FALSE(asked.world.ground_at(0.3, 0.4, 400, 500));
    EXPECT_EQ(asked.world.ground_at(0.3, 0.4, 400, 500).source, AnswerSource::field);
    // Within the ground, where no surface is near, and near one.
    EXPECT_EQ(asked.world.highest_ground_below(0, -500, 0).height, -500);
    const double below = *here.height - 2;
    EXPECT_EQ(asked.world.highest_ground_below(0.3, below, 0.4, 5).height, below);
    const SweepAnswer far = asked.world.sweep({500, 200, 0}, {0, -1, 0}, 0.5, 300);
    ASSERT_TRUE(far.hit);
    EXPECT_EQ(far.source, AnswerSource::field);
    EXPECT_NEAR(field->density_at(far.hit->contact), 0, 1);
    const SweepAnswer inside = asked.world.sweep({0, -300, 0}, {0, -1, 0}, 0.5, 2);
    ASSERT_TRUE(inside.hit);
    EXPECT_EQ(inside.hit->distance, 0);
}

TEST(CollisionQueries, KnowOfADigBeforeItsPatchesAreMade) {
    Pool pool({.workers = 1});
    EditWorld ground(std::make_shared<PlaneField>(Position{0, 4.5, 0}, Position{0, 1, 0}));
    CollisionWorld world(pool, ground.field(), small_world());
    ShapeHost host;
    settle(world, {{0, 5, 0}}, host);
    EXPECT_NEAR(*world.highest_ground_below(3, 10, 3).height, 4.5, 1e-3);
    const EditReport report = ground.apply({.kind = EditKind::dig, .at = {3, 4, 3}, .radius = 3});
    world.edit(ground.field(), report.changed);
    const GroundAnswer at_once = world.highest_ground_below(3, 10, 3);
    EXPECT_NE(at_once.source, AnswerSource::patches);
    EXPECT_NEAR(*at_once.height, 1, 0.2);
    settle(world, {{0, 5, 0}}, host);
    const GroundAnswer later = world.highest_ground_below(3, 10, 3);
    EXPECT_EQ(later.source, AnswerSource::patches);
    EXPECT_NEAR(*later.height, 1, 0.2);
}

TEST(CollisionQueries, NoRayFallsThroughWhereChunksAndPatchesMeet) {
    const Asked asked(std::make_shared<PlaneField>(Position{0, 4.5, 0}, Position{0.1, 1, 0.07}));
    for (int i = -12; i <= 12; ++i) {
        for (int j = -12; j <= 12; ++j) {
            const RayAnswer answer = asked.world.raycast({i * 1.0, 14, j * 1.0}, {0, -1, 0}, {.reach = 25});
            ASSERT_TRUE(answer.hit) << i << ", " << j;
            EXPECT_NEAR(answer.hit->position.y, 4.5 - 0.1 * i - 0.07 * j, 0.03);
        }
    }
}

TEST(CollisionQueries, RefuseWhatIsNotANumber) {
    const Asked asked(hills());
    EXPECT_THROW(asked.world.raycast({0, kNan, 0}, {0, -1, 0}), std::invalid_argument);
    EXPECT_THROW(asked.world.raycast({0, 0, 0}, {0, 0, 0}), std::invalid_argument);
    EXPECT_THROW(asked.world.raycast({0, 0, 0}, {0, -1, 0}, {.reach = kNan}), std::invalid_argument);
    EXPECT_THROW(asked.world.raycast({1e12, 0, 0}, {0, -1, 0}), std::invalid_argument);
    EXPECT_THROW(asked.world.sweep({0, 0, 0}, {0, -1, 0}, kNan, 1), std::invalid_argument);
    EXPECT_THROW(asked.world.sweep({0, 0, 0}, {0, -1, 0}, 1, -1), std::invalid_argument);
    EXPECT_THROW(asked.world.sweep({0, 0, 0}, {1, 1, 1}, 100, 10'000), std::invalid_argument);
    EXPECT_THROW(asked.world.ground_at(0, 0, 5, 5), std::invalid_argument);
}

}  // namespace
}  // namespace quarry::terrain::collision
