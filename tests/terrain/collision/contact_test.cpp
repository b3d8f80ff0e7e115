// Rays and moving spheres against triangles, compared with slow searches.
#include "terrain/collision/contact.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/terrain/support.hpp"

namespace quarry::terrain::collision {
namespace {

Vec place(Random& random, double reach) {
    const Position at = random.position(reach);
    return {at.x, at.y, at.z};
}

Vec direction(Random& random) {
    for (;;) {
        const Vec at = place(random, 1);
        const double length = std::sqrt(dot(at, at));
        if (length > 0.1 && length < 1) return at * (1 / length);
    }
}

// The distance to a triangle by a search over its area, ever finer: knows nothing of sides, corners and planes.
double searched_distance(const Triangle& t, const Vec& point) {
    const auto at = [&](double u, double v) { return t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v; };
    const auto away = [&](double u, double v) {
        const Vec arrow = point - at(u, v);
        return dot(arrow, arrow);
    };
    double best_u = 0;
    double best_v = 0;
    double size = 1;
    for (int round = 0; round < 60; ++round) {
        double best = away(best_u, best_v);
        const double u0 = best_u;
        const double v0 = best_v;
        for (int i = -6; i <= 6; ++i) {
            for (int j = -6; j <= 6; ++j) {
                double u = std::clamp(u0 + i * size / 6, 0.0, 1.0);
                double v = std::clamp(v0 + j * size / 6, 0.0, 1.0);
                if (u + v > 1) {
                    const double over = (u + v - 1) / 2;
                    u = std::clamp(u - over, 0.0, 1.0);
                    v = 1 - u;
                }
                if (away(u, v) < best) {
                    best = away(u, v);
                    best_u = u;
                    best_v = v;
                }
            }
        }
        size *= 0.6;
    }
    return std::sqrt(away(best_u, best_v));
}

TEST(CollisionContact, TheNearestPlaceIsTheOneThatASearchFinds) {
    Random random(31);
    SCOPED_TRACE(seed_text());
    for (int round = 0; round < 200; ++round) {
        const Triangle t{place(random, 2), place(random, 2), place(random, 2)};
        const Vec point = place(random, 4);
        const Vec away = point - nearest_on(t, point);
        EXPECT_NEAR(std::sqrt(dot(away, away)), searched_distance(t, point), 1e-4);
    }
}

// Steps along the way that can never pass the first contact: each is as long as the gap is wide.
TEST(CollisionContact, ASphereStopsWhereItFirstTouches) {
    Random random(32);
    SCOPED_TRACE(seed_text());
    int touched = 0;
    for (int round = 0; round < 3000; ++round) {
        const Triangle t{place(random, 2), place(random, 2), place(random, 2)};
        const Vec from = place(random, 6);
        Vec way = direction(random);
        if (round % 2 == 0) {
            // Towards a corner or beside it.
            const Vec to = t[0] + place(random, 1) - from;
            way = to * (1 / std::sqrt(dot(to, to)));
        }
        const double radius = random.real(0.05, 2);
        constexpr double kReach = 10;
        const auto gap = [&](double along) {
            const Vec at = from + way * along;
            const Vec away = at - nearest_on(t, at);
            return std::sqrt(dot(away, away)) - radius;
        };
        const std::optional<double> found = first_touch(from, way, radius, kReach, t);
        double marched = 0;
        for (int step = 0; step < 100'000 && marched <= kReach && gap(marched) > 1e-9; ++step) marched += gap(marched);
        if (!found) {
            EXPECT_GT(marched, kReach - 1e-3);
            // A march that creeps along a graze may still be on its way.
            EXPECT_GT(gap(std::min(marched, kReach)), -1e-9);
            continue;
        }
        ++touched;
        if (*found > 0) {
            EXPECT_NEAR(gap(*found), 0, 1e-9);
        } else {
            EXPECT_LE(gap(0), 0);
        }
        EXPECT_LE(marched, *found + 1e-9);
        EXPECT_NEAR(marched, *found, 1e-3);
    }
    EXPECT_GT(touched, 800);
}

TEST(CollisionContact, ARayMeetsAPlaneWhereItShould) {
    const Triangle t{Vec{0, 0, 0}, Vec{0, 0, 1}, Vec{1, 0, 0}};
    const auto from_above = crossing({0.2, 3, 0.2}, {0, -1, 0}, t);
    ASSERT_TRUE(from_above);
    EXPECT_DOUBLE_EQ(from_above->distance, 3);
    EXPECT_FALSE(from_above->leaves);
    const auto from_below = crossing({0.2, -2, 0.2}, {0, 1, 0}, t);
    ASSERT_TRUE(from_below);
    EXPECT_TRUE(from_below->leaves);
    EXPECT_FALSE(crossing({0.2, 3, 0.2}, {0, 1, 0}, t));
    EXPECT_FALSE(crossing({0.8, 3, 0.8}, {0, -1, 0}, t));
    EXPECT_FALSE(crossing({-1, 0, 0.2}, {1, 0, 0}, t));
}

// A fan around one corner: whatever ray goes down through the sheet meets it, through sides and corners too.
TEST(CollisionContact, NoRaySlipsBetweenTrianglesThatShareASide) {
    Random random(33);
    SCOPED_TRACE(seed_text());
    for (int round = 0; round < 200; ++round) {
        const Vec middle{random.real(-0.1, 0.1), random.real(-0.1, 0.1), random.real(-0.1, 0.1)};
        std::vector<Vec> rim;
        constexpr int kAround = 9;
        for (int i = 0; i < kAround; ++i) {
            const double angle = -2 * 3.14159265358979 * i / kAround;
            rim.push_back({std::cos(angle), random.real(-0.3, 0.3), std::sin(angle)});
        }
        for (int shot = 0; shot < 50; ++shot) {
            // At a place on a side, as exactly as it can be said.
            const Vec& end = rim[static_cast<std::size_t>(random.integer(0, kAround - 1))];
            const double share = shot % 10 == 0 ? 0 : random.real(0, 0.9);
            const Vec target = middle + (end - middle) * share;
            const Vec from{random.real(-0.5, 0.5), 4, random.real(-0.5, 0.5)};
            int hits = 0;
            for (int i = 0; i < kAround; ++i) {
                const Triangle t{middle, rim[static_cast<std::size_t>(i)],
                                 rim[static_cast<std::size_t>((i + 1) % kAround)]};
                hits += crossing(from, target - from, t) ? 1 : 0;
            }
            ASSERT_GT(hits, 0);
        }
    }
}

}  // namespace
}  // namespace quarry::terrain::collision
