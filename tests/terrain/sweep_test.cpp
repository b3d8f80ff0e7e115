#include "quarry/terrain/sweep.hpp"

#include <cmath>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/edited_field.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain {
namespace {

TEST(Sweep, ABallMeetsABallWhereGeometrySaysSo) {
    const SphereField sphere({100, 3, 0}, 10);
    const std::optional<RayHit> hit = sweep_sphere(sphere, {}, {5, 0, 0}, 4);
    ASSERT_TRUE(hit);
    EXPECT_NEAR(hit->distance, 100 - std::sqrt(14.0 * 14 - 3 * 3), 0.25);
    EXPECT_NEAR(hit->position.x, hit->distance, 1e-9);
    EXPECT_FALSE(sweep_sphere(sphere, {0, 17.3, 0}, {1, 0, 0}, 4));
    EXPECT_TRUE(sweep_sphere(sphere, {0, 16.5, 0}, {1, 0, 0}, 4));
    EXPECT_FALSE(sweep_sphere(sphere, {}, {1, 0, 0}, 4, {.reach = 80}));
    EXPECT_EQ(sweep_sphere(sphere, {100, 3, 0}, {1, 0, 0}, 4)->distance, 0);
}

// No solid sample on a fine lattice lies within the ball at any step before, and one does at the end.
TEST(Sweep, FindsWhatASlowMarchFinds) {
    Random random(801);
    SCOPED_TRACE(seed_text());
    const NoiseField field(NoiseOptions{.seed = 5, .frequency = 0.05, .amplitude = 20});
    constexpr double kStep = 0.25;
    constexpr double kRadius = 1.5;
    const auto solid_near = [&](Position p) {
        for (double z = -kRadius; z <= kRadius; z += kStep) {
            for (double y = -kRadius; y <= kRadius; y += kStep) {
                for (double x = -kRadius; x <= kRadius; x += kStep) {
                    if (x * x + y * y + z * z > kRadius * kRadius) continue;
                    if (field.density_at({p.x + x, p.y + y, p.z + z}) < 0) return true;
                }
            }
        }
        return false;
    };
    int hits = 0;
    for (int round = 0; round < 10; ++round) {
        const Position from{random.real(-500, 500), random.real(14, 24), random.real(-500, 500)};
        if (solid_near(from)) continue;
        const double turn = random.real(0, 6.28);
        const Position way{std::cos(turn), -0.3, std::sin(turn)};
        const double length = std::hypot(1, 0.3);
        std::optional<double> marched;
        for (double t = 0; t < 60 && !marched; t += kStep) {
            if (solid_near({from.x + way.x * t / length, from.y + way.y * t / length, from.z + way.z * t / length}))
                marched = t;
        }
        const std::optional<RayHit> hit = sweep_sphere(field, from, way, kRadius, {.reach = 60, .resolution = 0.1});
        ASSERT_EQ(hit.has_value(), marched.has_value()) << round;
        if (!hit) continue;
        ++hits;
        EXPECT_NEAR(hit->distance, *marched, 1.0) << round;
        EXPECT_TRUE(touches_ground(field, hit->position, kRadius, 0.1));
    }
    EXPECT_GT(hits, 2);
}

TEST(Sweep, SeesEdits) {
    EditWorld world(std::make_shared<PlaneField>(Position{}, Position{0, 1, 0}));
    world.apply(
        {.kind = EditKind::dig, .shape = BrushShape::capsule, .at = {-30, -20, 0}, .extent = {60, 0, 0}, .radius = 4});
    const auto ground = world.field();
    const RayOptions options{.reach = 50};
    EXPECT_FALSE(sweep_sphere(*ground, {-25, -20, 0}, {1, 0, 0}, 3, options));
    EXPECT_EQ(sweep_sphere(*ground, {-25, -20, 0}, {1, 0, 0}, 5, options)->distance, 0);
    EXPECT_NEAR(sweep_sphere(*ground, {0, 30, 0}, {0, -1, 0}, 3, options)->position.y, 3, 0.25);
    EXPECT_TRUE(is_ground_at(*ground, 0, 0, -24, 10));
    EXPECT_FALSE(is_ground_at(*ground, 0, 0, -23, -17));
    EXPECT_FALSE(is_ground_at(*ground, 0, 0, 1, 50));
}

TEST(Sweep, RefusesWhatIsOutOfRange) {
    const SphereField sphere({}, 1);
    EXPECT_NE(refusal_of([&] { sweep_sphere(sphere, {}, {}, 1); }).find("direction"), std::string::npos);
    EXPECT_NE(refusal_of([&] { sweep_sphere(sphere, {}, {1, 0, 0}, -1); }).find("radius"), std::string::npos);
    EXPECT_NE(refusal_of([&] { sweep_sphere(sphere, {}, {1, 0, 0}, 251); }).find("radius"), std::string::npos);
    EXPECT_NE(refusal_of([&] { sweep_sphere(sphere, {}, {1, 0, 0}, kNan); }).find("radius"), std::string::npos);
    EXPECT_NE(refusal_of([&] { touches_ground(sphere, {}, 1, 0); }).find("resolution"), std::string::npos);
    EXPECT_NE(refusal_of([&] { is_ground_at(sphere, 0, 0, 3, 2); }).find("column"), std::string::npos);
}

}  // namespace
}  // namespace quarry::terrain
