// The same sample has the same bits in every form, on every SIMD target, in every block (R18, transvoxel.md (i)).
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/noise_field.hpp"
#include "terrain/noise/kernels.hpp"
#include "terrain/noise/sums.hpp"
#include "tests/terrain/support.hpp"

namespace {

using namespace quarry::terrain;

std::vector<float> in_form(const impl::NoiseSum& sum, const SampleBlock& block, impl::NoiseForm form) {
    std::vector<float> out(block.size(), -1e30F);
    impl::noise_kernels().block(sum, block, form, {.offset = 3.25, .slope = 1}, out.data());
    return out;
}

NoiseOptions random_options(Random& random) {
    return {.seed = static_cast<std::uint64_t>(random.integer(0, 1 << 30)),
            .octaves = random.integer(1, 6),
            .frequency = random.real(0.001, 0.2),
            .amplitude = random.real(0, 100),
            .lacunarity = random.real(1.5, 3),
            .persistence = random.real(0.2, 1)};
}

TEST(NoiseBits, RowFormAndDirectFormAgreeOnEveryTargetAndStride) {
    const KeepSimdTarget keep;
    Random random(20261115);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (const bool ridged : {false, true}) {
        for (std::int32_t step = 1; step <= kLargestStep; step *= 2) {
            for (int round = 0; round < 4; ++round) {
                const SampleBlock block{.first = random.point(1'000'000),
                                        .step = step,
                                        .nx = round == 0 ? 33 : random.integer(1, 60),
                                        .ny = round == 0 ? 9 : random.integer(1, 12),
                                        .nz = random.integer(1, 6),
                                        .lattice = {.voxel_size = round < 2 ? 1 : random.real(0.05, 3)}};
                const impl::NoiseSum sum = impl::make_sum(random_options(random), ridged);
                force_simd_target(SimdTarget::scalar);
                const std::vector<float> expected = in_form(sum, block, impl::NoiseForm::direct);
                for (const SimdTarget target : simd_targets()) {
                    force_simd_target(target);
                    ASSERT_TRUE(same_bits(in_form(sum, block, impl::NoiseForm::rows), expected))
                        << name_of(target) << " rows, step " << step << ", round " << round;
                    ASSERT_TRUE(same_bits(in_form(sum, block, impl::NoiseForm::direct), expected))
                        << name_of(target) << " direct, step " << step << ", round " << round;
                    ASSERT_TRUE(same_bits(in_form(sum, block, impl::NoiseForm::automatic), expected))
                        << name_of(target) << " automatic, step " << step << ", round " << round;
                }
            }
        }
    }
}

TEST(NoiseBits, SinglePointsHaveTheBitsOfTheBlock) {
    const KeepSimdTarget keep;
    Random random(7);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (const SimdTarget target : simd_targets()) {
        force_simd_target(target);
        for (int round = 0; round < 8; ++round) {
            const NoiseField field(random_options(random));
            const SampleBlock block{.first = random.point(1'000'000),
                                    .step = 1 << random.integer(0, 7),
                                    .nx = 35,
                                    .ny = 5,
                                    .nz = 3,
                                    .lattice = {.voxel_size = 0.3, .origin = random.position(10)}};
            ASSERT_TRUE(same_bits(sampled(field, block), sampled_by_points(field, block))) << name_of(target);
        }
    }
}

TEST(NoiseBits, ACoarseSampleIsTheFineSampleAtTheEvenPlace) {
    const NoiseField field;
    Random random(11);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (std::int32_t step = 1; step < kLargestStep; step *= 2) {
        const LatticePoint first = random.point(100'000);
        const SampleBlock fine{.first = first, .step = step, .nx = 33, .ny = 33, .nz = 33};
        const SampleBlock coarse{.first = first, .step = 2 * step, .nx = 17, .ny = 17, .nz = 17};
        const std::vector<float> fines = sampled(field, fine);
        const std::vector<float> coarses = sampled(field, coarse);
        for (std::int32_t z = 0; z < coarse.nz; ++z) {
            for (std::int32_t y = 0; y < coarse.ny; ++y) {
                for (std::int32_t x = 0; x < coarse.nx; ++x) {
                    ASSERT_EQ(coarses[coarse.index(x, y, z)], fines[fine.index(2 * x, 2 * y, 2 * z)]) << step;
                }
            }
        }
    }
}

TEST(NoiseBits, GradientsAgreeOnEveryTarget) {
    const KeepSimdTarget keep;
    Random random(13);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    std::vector<Position> points(101);
    for (Position& point : points) point = random.position(1e5);
    const NoiseField field(random_options(random));
    force_simd_target(SimdTarget::scalar);
    std::vector<Gradient> expected(points.size());
    field.gradients(points, 0.5, expected);
    for (const SimdTarget target : simd_targets()) {
        force_simd_target(target);
        std::vector<Gradient> gradients(points.size());
        field.gradients(points, 0.5, gradients);
        EXPECT_EQ(gradients, expected) << name_of(target);
        for (std::size_t i = 0; i < points.size(); i += 10) {
            EXPECT_EQ(field.gradient_at(points[i], 0.5), expected[i]) << name_of(target);
        }
    }
}

TEST(NoiseBits, AnUnknownTargetIsRefusedWithThoseThatThereAre) {
    EXPECT_EQ(simd_target_named("scalar"), SimdTarget::scalar);
    EXPECT_EQ(simd_target_named(name_of(simd_target())), simd_target());
    EXPECT_NE(refusal_of([] { (void)simd_target_named("mmx"); }).find("no SIMD target mmx; allowed are scalar"),
              std::string::npos);
    for (const SimdTarget target : {SimdTarget::neon, SimdTarget::avx512}) {
        const std::vector<SimdTarget> usable = simd_targets();
        if (std::find(usable.begin(), usable.end(), target) != usable.end()) continue;
        EXPECT_NE(refusal_of([&] { force_simd_target(target); }).find("not available here"), std::string::npos);
    }
}

}  // namespace
