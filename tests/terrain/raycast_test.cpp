#include "quarry/terrain/raycast.hpp"

#include <atomic>
#include <cmath>
#include <optional>

#include <gtest/gtest.h>

#include "quarry/terrain/height_field.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "tests/terrain/support.hpp"

namespace {

using namespace quarry::terrain;

TEST(Raycast, HitsASphereWhereGeometrySaysSo) {
    const SphereField sphere({100, 0, 0}, 10);
    const std::optional<RayHit> hit = raycast(sphere, {}, {2, 0, 0});
    ASSERT_TRUE(hit);
    EXPECT_NEAR(hit->distance, 90, 1e-5);
    EXPECT_NEAR(hit->position.x, 90, 1e-5);
    const double slant = std::sqrt(100.0 * 100.0 - 10 * 10);
    EXPECT_FALSE(raycast(sphere, {}, {slant, 10.2, 0}));
    EXPECT_FALSE(raycast(sphere, {}, {-1, 0, 0}));
    EXPECT_FALSE(raycast(sphere, {}, {1, 0, 0}, {.reach = 89}));
}

TEST(Raycast, ARayThatBeginsInTheGroundHitsAtOnce) {
    const std::optional<RayHit> hit = raycast(SphereField({}, 5), {1, 1, 1}, {0, 1, 0});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->distance, 0);
    EXPECT_EQ(hit->position, (Position{1, 1, 1}));
}

TEST(Raycast, FindsWhatASlowMarchFinds) {
    Random random(201);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    const NoiseField field;
    int hits = 0;
    for (int round = 0; round < 60; ++round) {
        const Position from = {random.real(-1000, 1000), random.real(30, 60), random.real(-1000, 1000)};
        const Position direction = {random.real(-1, 1), random.real(-1, 0.1), random.real(-1, 1)};
        const double size = std::hypot(direction.x, direction.y, direction.z);
        std::optional<double> marched;
        for (double t = 0; t < 300 && !marched; t += 0.01) {
            const double s = t / size;
            if (field.density_at({from.x + direction.x * s, from.y + direction.y * s, from.z + direction.z * s}) < 0) {
                marched = t;
            }
        }
        const std::optional<RayHit> hit = raycast(field, from, direction, {.reach = 300, .resolution = 0.05});
        ASSERT_EQ(hit.has_value(), marched.has_value()) << round;
        if (!hit) continue;
        ++hits;
        EXPECT_NEAR(hit->distance, *marched, 0.06) << round;
        EXPECT_NEAR(field.density_at(hit->position), 0, 1e-3);
    }
    EXPECT_GT(hits, 20);
}

// Counts what is asked of it.
class CountingField final : public Field {
  public:
    void densities(std::span<const Position> points, std::span<float> out) const override {
        asked += points.size();
        inner_.densities(points, out);
    }
    Interval bounds(const Box& box) const override {
        ++asked;
        return inner_.bounds(box);
    }
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override {
        inner_.gradients(points, spacing, out);
    }

    mutable std::atomic<std::size_t> asked = 0;

  private:
    NoiseField inner_;
};

TEST(Raycast, EmptySpaceIsCrossedInFewSteps) {
    const CountingField field;
    EXPECT_FALSE(raycast(field, {0, 50, 0}, {1, 0.001, 1}, {.reach = 10'000}));
    EXPECT_LT(field.asked, 10U);
}

TEST(Raycast, HighestGroundIsTheSurfaceOfAHeightField) {
    Random random(202);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    const HeightField field;
    for (int round = 0; round < 50; ++round) {
        const double x = random.real(-500, 500);
        const double z = random.real(-500, 500);
        const double expected = -static_cast<double>(field.density_at({x, 0, z}));
        const std::optional<double> height = highest_ground_below(field, x, 100, z);
        ASSERT_TRUE(height);
        EXPECT_NEAR(*height, expected, 1e-4);
        EXPECT_EQ(highest_ground_below(field, x, expected - 1, z), expected - 1);
    }
    EXPECT_FALSE(highest_ground_below(field, 0, 100, 0, {.reach = 10}));
}

TEST(Raycast, BadOptionsAreRefusedByName) {
    const SphereField sphere({}, 1);
    const Position from{5, 0, 0};
    EXPECT_NE(refusal_of([&] { (void)raycast(sphere, from, {}); }).find("direction"), std::string::npos);
    EXPECT_NE(refusal_of([&] {
                  (void)raycast(sphere, from, {1, 0, 0}, {.reach = 0});
              }).find("RayOptions.reach"),
              std::string::npos);
    EXPECT_NE(refusal_of([&] {
                  (void)raycast(sphere, from, {1, 0, 0}, {.resolution = -1});
              }).find("RayOptions.resolution"),
              std::string::npos);
}

}  // namespace
