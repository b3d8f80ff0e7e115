// The noise over all of its options and everywhere: no place without a density, bounds that hold, the same bits in
// every form and on every target.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/ridged_field.hpp"
#include "quarry/terrain/translated_field.hpp"
#include "quarry/terrain/warped_field.hpp"
#include "terrain/noise/kernels.hpp"
#include "terrain/noise/noise.hpp"
#include "terrain/noise/sums.hpp"
#include "tests/terrain/reference_noise.hpp"
#include "tests/terrain/support.hpp"

namespace {

using namespace quarry::terrain;

double log_uniform(Random& random, double low, double high) {
    return std::exp(random.real(std::log(low), std::log(high)));
}

// Anywhere in the ranges that check allows.
NoiseOptions any_options(Random& random) {
    for (;;) {
        const NoiseOptions options{.seed = static_cast<std::uint64_t>(random.integer(0, 1 << 30)),
                                   .octaves = random.integer(1, 16),
                                   .frequency = log_uniform(random, 1e-6, 1e3),
                                   .amplitude = log_uniform(random, 1e-3, 1e6),
                                   .offset = random.real(-1e6, 1e6),
                                   .lacunarity = random.real(1, 8),
                                   .persistence = log_uniform(random, 1e-3, 1)};
        if (refusal_of([&] { check(options); }).empty()) return options;
    }
}

// A block as far out as the noise goes, with up to some cells of the finest octave a sample.
SampleBlock far_block(Random& random, double reach, double finest) {
    const double voxel = log_uniform(random, 0.01, 3) / finest;
    const double out = reach * std::pow(random.real(0, 1), 4);
    const auto origin = [&] { return random.real(-out, out) * 0.999; };
    return {.first = random.point(40),
            .step = 1 << random.integer(0, 2),
            .nx = random.integer(1, 35),
            .ny = random.integer(1, 6),
            .nz = random.integer(1, 6),
            .lattice = {.voxel_size = voxel, .origin = {origin(), origin(), origin()}}};
}

double finest_frequency(const NoiseOptions& options) {
    return options.frequency * std::pow(options.lacunarity, options.octaves - 1);
}

TEST(NoiseRange, EveryFormOnEveryTargetHasTheSameBitsWhereverTheNoiseReaches) {
    const KeepSimdTarget keep;
    Random random(41);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (int round = 0; round < 300; ++round) {
        const NoiseOptions options = any_options(random);
        const impl::NoiseSum sum = impl::make_sum(options, round % 2 == 1);
        const SampleBlock block = far_block(random, impl::reach_of(sum), finest_frequency(options));
        const auto filled = [&](impl::NoiseForm form) {
            std::vector<float> out(block.size());
            impl::noise_kernels().block(sum, block, form, {.offset = 0, .slope = 0}, out.data());
            return out;
        };
        force_simd_target(SimdTarget::scalar);
        const std::vector<float> expected = filled(impl::NoiseForm::direct);
        for (const float each : expected) ASSERT_LE(std::abs(each), options.amplitude * 1.0001) << "round " << round;
        for (const SimdTarget target : simd_targets()) {
            force_simd_target(target);
            ASSERT_TRUE(same_bits(filled(impl::NoiseForm::direct), expected)) << name_of(target) << ", round " << round;
            ASSERT_TRUE(same_bits(filled(impl::NoiseForm::automatic), expected))
                << name_of(target) << ", round " << round;
        }
    }
}

TEST(NoiseRange, DensitiesAgreeWithDoublePrecisionAndBoundsHoldThem) {
    Random random(42);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (int round = 0; round < 400; ++round) {
        const NoiseOptions options = any_options(random);
        const NoiseField field(options);
        const RidgedField ridged(options);
        const SampleBlock block = far_block(random, field.reach(), finest_frequency(options));
        const std::vector<float> samples = sampled(field, block);
        const std::vector<float> ridges = sampled(ridged, block);
        const Interval bounds = field.bounds(box_of(block));
        const Interval ridged_bounds = ridged.bounds(box_of(block));
        for (int i = 0; i < 20; ++i) {
            const std::int32_t x = random.integer(0, block.nx - 1), y = random.integer(0, block.ny - 1),
                               z = random.integer(0, block.nz - 1);
            const Position p = block.at(x, y, z);
            const double wanted =
                p.y - options.offset - options.amplitude * reference::fbm(options, p, options.octaves);
            ASSERT_NEAR(samples[block.index(x, y, z)], wanted, 1e-5 * options.amplitude + 2e-7 * std::abs(p.y) + 0.1)
                << "round " << round;
        }
        for (std::size_t i = 0; i < samples.size(); ++i) {
            ASSERT_TRUE(bounds.low <= samples[i] && samples[i] <= bounds.high) << "round " << round;
            ASSERT_TRUE(ridged_bounds.low <= ridges[i] && ridges[i] <= ridged_bounds.high) << "round " << round;
        }
    }
}

TEST(NoiseRange, CellsAreCountedModulo32Bits) {
    EXPECT_EQ(impl::cell_number(0), 0U);
    EXPECT_EQ(impl::cell_number(-1), 0xFFFFFFFFU);
    EXPECT_EQ(impl::cell_number(4294967296.0), 0U);
    EXPECT_EQ(impl::cell_number(-2147483649.0), 0x7FFFFFFFU);
    EXPECT_EQ(impl::cell_number(68719476736.0 + 17), 17U);
    // A place and the one 2^32 cells further have the same noise, on either side of the step.
    const NoiseField field({.octaves = 1, .frequency = 1, .amplitude = 1});
    for (const double x : {-0.75, -0.25, 0.25, 0.75}) {
        EXPECT_EQ(field.density_at({x + 2147483648.0, 0.5, 0.5}), field.density_at({x - 2147483648.0, 0.5, 0.5}));
    }
}

TEST(NoiseRange, NoOptionsAndNoPlaceGiveADensityThatIsNoNumber) {
    const KeepSimdTarget keep;
    Random random(43);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (const SimdTarget target : simd_targets()) {
        force_simd_target(target);
        for (int round = 0; round < 100; ++round) {
            // Far beyond what a world may have: rubbish there, but numbers, and nothing outside the block is touched.
            const NoiseField field(any_options(random));
            SampleBlock block = far_block(random, 1e15, 1);
            block.lattice.voxel_size = log_uniform(random, 1e-3, 1e5);
            block.nx = 60;
            block.ny = 60;
            const std::vector<float> samples = sampled(field, block);
            ASSERT_TRUE(std::all_of(samples.begin(), samples.end(), [](float each) { return std::isfinite(each); }))
                << name_of(target) << ", round " << round;
        }
    }
}

TEST(NoiseRange, AChunkBeyondTheNoisesReachIsRefusedInOneLine) {
    const auto noise = std::make_shared<NoiseField>(NoiseOptions{.octaves = 1, .frequency = 1000, .amplitude = 1});
    EXPECT_DOUBLE_EQ(noise->reach(), 68719476736.0 / 1000);
    const ChunkKey far{.lod = 0, .x = (1 << 25) - 2, .y = 0, .z = 0};
    const ExtractOptions near_enough{.lattice = {.voxel_size = 0.06}};
    EXPECT_NO_THROW((void)extract(*noise, far, near_enough));
    const std::string refusal = refusal_of([&] { (void)extract(*noise, far); });
    EXPECT_NE(refusal.find("units are allowed"), std::string::npos) << refusal;
    EXPECT_EQ(refusal.find('\n'), std::string::npos);
    EXPECT_EQ(TranslatedField(noise, {0, -3e6, 0}).reach(), noise->reach() - 3e6);
    EXPECT_EQ(WarpedField(noise, {.octaves = 1, .frequency = 1, .amplitude = 100}).reach(), noise->reach() - 100);
}

}  // namespace
