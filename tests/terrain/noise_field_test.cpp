#include "quarry/terrain/noise_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/terrain/reference_noise.hpp"
#include "tests/terrain/support.hpp"

namespace {

using namespace quarry::terrain;

double reference_density(const NoiseOptions& options, Position p) {
    return p.y - options.offset - reference::fbm(options, p, options.octaves) * options.amplitude;
}

TEST(NoiseField, AgreesWithDoublePrecisionWithinAHundredThousandthOfTheAmplitude) {
    Random random(1);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (int round = 0; round < 20; ++round) {
        const NoiseOptions options{.seed = static_cast<std::uint64_t>(round),
                                   .octaves = random.integer(1, 8),
                                   .frequency = random.real(0.002, 0.1),
                                   .amplitude = 64,
                                   .offset = random.real(-5, 5)};
        const NoiseField field(options);
        for (int i = 0; i < 500; ++i) {
            const Position p = {random.real(-1e5, 1e5), random.real(-50, 50), random.real(-1e5, 1e5)};
            ASSERT_NEAR(field.density_at(p), reference_density(options, p), 1e-5 * options.amplitude);
        }
    }
}

TEST(NoiseField, NoiseNeverExceedsItsProvenLimit) {
    // The worst gradients at each corner: (2, 2, 1) parts of the distance, the longest axes first.
    double most = 0;
    constexpr int kSteps = 100;
    for (int i = 0; i <= kSteps; ++i) {
        for (int j = 0; j <= kSteps; ++j) {
            for (int k = 0; k <= kSteps; ++k) {
                const double p[3] = {1.0 * i / kSteps, 1.0 * j / kSteps, 1.0 * k / kSteps};
                double sum = 0;
                for (int corner = 0; corner < 8; ++corner) {
                    double weight = 1;
                    double distance[3];
                    for (int axis = 0; axis < 3; ++axis) {
                        const int at = (corner >> axis) & 1;
                        weight *= at != 0 ? reference::fade(p[axis]) : 1 - reference::fade(p[axis]);
                        distance[axis] = std::abs(p[axis] - at);
                    }
                    std::sort(std::begin(distance), std::end(distance));
                    sum += weight * (static_cast<double>(impl::kLongComponent) * (distance[1] + distance[2]) +
                                     static_cast<double>(impl::kShortComponent) * distance[0]);
                }
                most = std::max(most, sum);
            }
        }
    }
    EXPECT_LT(most, static_cast<double>(impl::kNoiseLimit));
    EXPECT_GT(most, 0.95) << "the limit would be wasteful";
}

TEST(NoiseField, EveryDirectionIsHashedAboutEquallyOften) {
    std::array<int, 24> counts{};
    for (std::uint32_t i = 0; i < 24'000; ++i) {
        const impl::LatticeGradient g =
            impl::lattice_gradient(impl::hash(impl::octave_seed(42, 1), i % 31, i / 31, 0U - i));
        const int axis = g.x == std::clamp(g.x, -0.5F, 0.5F) ? 0 : (g.y == std::clamp(g.y, -0.5F, 0.5F) ? 1 : 2);
        EXPECT_NEAR(std::hypot(g.x, g.y, g.z), 1.149, 1e-4);
        ++counts[static_cast<std::size_t>(axis * 8 + (g.x < 0) * 4 + (g.y < 0) * 2 + (g.z < 0))];
    }
    for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(NoiseField, BoundsHoldEverySampleInTheBox) {
    Random random(3);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (int round = 0; round < 400; ++round) {
        const NoiseField field({.seed = static_cast<std::uint64_t>(random.integer(0, 1'000'000)),
                                .octaves = random.integer(1, 6),
                                .frequency = random.real(0.002, 0.1),
                                .amplitude = random.real(0, 200),
                                .offset = random.real(-20, 20),
                                .persistence = random.real(0.3, 0.9)});
        const SampleBlock block{
            .first = {random.integer(-100'000, 100'000), random.integer(-200, 200), random.integer(-100'000, 100'000)},
            .step = 1 << random.integer(0, 3),
            .nx = random.integer(1, 20),
            .ny = random.integer(1, 20),
            .nz = random.integer(1, 20),
            .lattice = {.voxel_size = random.real(0.1, 2)}};
        const Interval bounds = field.bounds(box_of(block));
        const std::vector<float> samples = sampled(field, block);
        const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
        ASSERT_LE(bounds.low, *low) << "round " << round;
        ASSERT_GE(bounds.high, *high) << "round " << round;
    }
}

TEST(NoiseField, BoundsOfASmallBoxAreTight) {
    // Of one octave, in boxes of a twentieth of a wave: wider than what is in it by less than a fifth of all heights.
    Random random(4);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    const NoiseField field({.octaves = 1, .frequency = 0.05, .amplitude = 1});
    for (int round = 0; round < 200; ++round) {
        const Position p = random.position(1000);
        const Position low = {p.x, 0, p.z};
        const Interval bounds = field.bounds({low, {low.x + 1, 0, low.z + 1}});
        const float here = field.density_at(low);
        if (!bounds.may_have_surface()) continue;
        EXPECT_LT(here - bounds.low, 0.4F);
        EXPECT_LT(bounds.high - here, 0.4F);
    }
}

TEST(NoiseField, BoundsRejectTheEmptyChunksOfR3) {
    // R3: chunks of 32 units whose centre lies within the radius; here all columns of a quarter of that radius.
    const NoiseField field;
    int empty = 0;
    int rejected = 0;
    for (std::int32_t z = -8; z < 8; ++z) {
        for (std::int32_t y = -32; y < 32; ++y) {
            for (std::int32_t x = -8; x < 8; ++x) {
                const SampleBlock block{.first = {32 * x, 32 * y, 32 * z}, .nx = 33, .ny = 33, .nz = 33};
                const bool may = field.bounds(box_of(block)).may_have_surface();
                if (!may) {
                    ++empty;
                    ++rejected;
                    continue;
                }
                const std::vector<float> samples = sampled(field, block);
                const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
                if (!Interval{*low, *high}.may_have_surface()) ++empty;
            }
        }
    }
    EXPECT_GE(rejected, 0.999 * empty);
}

TEST(NoiseField, ARejectedChunkHasNoSurface) {
    const NoiseField field({.octaves = 5, .amplitude = 20});
    Random random(5);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    int rejected = 0;
    for (int round = 0; round < 2000; ++round) {
        const SampleBlock block{
            .first = {random.integer(-10'000, 10'000), random.integer(-30, 30), random.integer(-10'000, 10'000)},
            .nx = 9,
            .ny = 5,
            .nz = 9};
        if (field.bounds(box_of(block)).may_have_surface()) continue;
        ++rejected;
        const std::vector<float> samples = sampled(field, block);
        const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
        ASSERT_FALSE((Interval{*low, *high}.may_have_surface()));
    }
    EXPECT_GT(rejected, 500);
}

TEST(NoiseField, GradientIsTheSlopeOfTheOctavesThatTheSpacingShows) {
    Random random(6);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    const NoiseOptions options{.octaves = 5, .frequency = 0.02};
    const NoiseField field(options);
    struct Case {
        double spacing;
        int octaves;
    };
    // Waves of 50, 25, 12.5, 6.25 and 3.125 units: shown down to twice the spacing, and one always.
    for (const Case& each : {Case{1, 5}, Case{2, 4}, Case{4, 3}, Case{8, 2}, Case{16, 1}, Case{128, 1}}) {
        for (int i = 0; i < 100; ++i) {
            const Position p = random.position(2000);
            const Gradient g = field.gradient_at(p, each.spacing);
            const auto density = [&](double x, double y, double z) {
                return y - reference::fbm(options, {x, y, z}, each.octaves) * options.amplitude;
            };
            constexpr double h = 1e-5;
            EXPECT_NEAR(g.x, (density(p.x + h, p.y, p.z) - density(p.x - h, p.y, p.z)) / (2 * h), 1e-4);
            EXPECT_NEAR(g.y, (density(p.x, p.y + h, p.z) - density(p.x, p.y - h, p.z)) / (2 * h), 1e-4);
            EXPECT_NEAR(g.z, (density(p.x, p.y, p.z + h) - density(p.x, p.y, p.z - h)) / (2 * h), 1e-4);
        }
    }
}

TEST(NoiseField, BadOptionsAreRefusedByNameAndRange) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinite = std::numeric_limits<double>::infinity();
    const auto refused = [](const NoiseOptions& options) {
        return refusal_of([&] { const NoiseField field(options); });
    };
    EXPECT_EQ(refused({}), "");
    EXPECT_EQ(refused({.octaves = 40}), "NoiseOptions.octaves is 40; 1 to 16 is allowed");
    EXPECT_EQ(refused({.octaves = 0}), "NoiseOptions.octaves is 0; 1 to 16 is allowed");
    EXPECT_EQ(refused({.frequency = 0}), "NoiseOptions.frequency is 0; 1e-06 to 1000 is allowed");
    EXPECT_NE(refused({.octaves = 16, .frequency = 100}).find("lacunarity^(octaves - 1)"), std::string::npos);
    for (const double value : {nan, infinite, -infinite, -1e300}) {
        EXPECT_NE(refused({.frequency = value}).find("NoiseOptions.frequency"), std::string::npos) << value;
        EXPECT_NE(refused({.amplitude = value}).find("NoiseOptions.amplitude"), std::string::npos) << value;
        EXPECT_NE(refused({.offset = value}).find("NoiseOptions.offset"), std::string::npos) << value;
        EXPECT_NE(refused({.lacunarity = value}).find("NoiseOptions.lacunarity"), std::string::npos) << value;
        EXPECT_NE(refused({.persistence = value}).find("NoiseOptions.persistence"), std::string::npos) << value;
    }
}

}  // namespace
