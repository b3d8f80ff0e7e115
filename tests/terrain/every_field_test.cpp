// What every field promises (quarry/terrain/field.hpp), tried on every kind of field.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/terrain/field_cases.hpp"
#include "tests/terrain/support.hpp"

namespace {

using namespace quarry::terrain;

class EveryField : public testing::TestWithParam<FieldCase> {};

SampleBlock random_block(Random& random, double voxel_size) {
    return {.first = random.point(150),
            .step = 1 << random.integer(0, 3),
            .nx = random.integer(1, 35),
            .ny = random.integer(1, 12),
            .nz = random.integer(1, 12),
            .lattice = {.voxel_size = voxel_size}};
}

TEST_P(EveryField, AgreesWithDoublePrecision) {
    Random random(101);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (int i = 0; i < 2000; ++i) {
        const Position p = random.position(200);
        ASSERT_NEAR(GetParam().field->density_at(p), GetParam().reference(p), 1e-5 * GetParam().amplitude);
    }
}

TEST_P(EveryField, BlocksHaveTheBitsOfPointsOnEveryTarget) {
    const KeepSimdTarget keep;
    Random random(102);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (int round = 0; round < 10; ++round) {
        const SampleBlock block = random_block(random, 0.5);
        force_simd_target(SimdTarget::scalar);
        const std::vector<float> expected = sampled(*GetParam().field, block);
        for (const SimdTarget target : simd_targets()) {
            force_simd_target(target);
            ASSERT_TRUE(same_bits(sampled(*GetParam().field, block), expected)) << name_of(target);
            ASSERT_TRUE(same_bits(sampled_by_points(*GetParam().field, block), expected)) << name_of(target);
        }
    }
}

TEST_P(EveryField, SharedSamplesOfOverlappingBlocksHaveTheSameBits) {
    Random random(103);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (int round = 0; round < 10; ++round) {
        // A voxel size that is not exact in binary: the shared places must still be the same.
        SampleBlock fine = random_block(random, 0.3);
        fine.nx = fine.ny = fine.nz = 9;
        SampleBlock coarse = fine;
        coarse.step *= 2;
        coarse.first.x -= 2 * coarse.step;
        coarse.nx = 7;
        coarse.ny = coarse.nz = 5;
        const std::vector<float> fines = sampled(*GetParam().field, fine);
        const std::vector<float> coarses = sampled(*GetParam().field, coarse);
        for (std::int32_t i = 0; i < 5; ++i) {
            for (std::int32_t j = 0; j < 5; ++j) {
                ASSERT_EQ(coarses[coarse.index(i + 2, j, i)], fines[fine.index(2 * i, 2 * j, 2 * i)]);
            }
        }
    }
}

TEST_P(EveryField, BoundsHoldEverySampleAndEveryPointBetween) {
    Random random(104);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (int round = 0; round < 200; ++round) {
        const SampleBlock block = random_block(random, random.real(0.1, 1));
        const Box box = box_of(block);
        const Interval bounds = GetParam().field->bounds(box);
        std::vector<float> samples = sampled(*GetParam().field, block);
        for (int i = 0; i < 50; ++i) {
            const Position p{random.real(box.low.x, std::nextafter(box.high.x, 1e9)),
                             random.real(box.low.y, std::nextafter(box.high.y, 1e9)),
                             random.real(box.low.z, std::nextafter(box.high.z, 1e9))};
            samples.push_back(GetParam().field->density_at(p));
        }
        const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
        ASSERT_LE(bounds.low, *low) << "round " << round;
        ASSERT_GE(bounds.high, *high) << "round " << round;
        const Interval range = GetParam().field->range(box);
        ASSERT_LE(range.low, *low) << "round " << round;
        ASSERT_GE(range.high, *high) << "round " << round;
    }
}

TEST_P(EveryField, BoundsShrinkWithTheBox) {
    Random random(105);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    int rejected = 0;
    for (int round = 0; round < 200; ++round) {
        const Position p = random.position(60);
        const Interval bounds = GetParam().field->bounds({p, {p.x + 0.5, p.y + 0.5, p.z + 0.5}});
        rejected += bounds.may_have_surface() ? 0 : 1;
    }
    EXPECT_GT(rejected, 150);
}

TEST_P(EveryField, GradientIsTheSlopeOfTheDensity) {
    Random random(106);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    const auto slope = [&](Position p, double h) {
        const Reference& f = GetParam().reference;
        return Position{(f({p.x + h, p.y, p.z}) - f({p.x - h, p.y, p.z})) / (2 * h),
                        (f({p.x, p.y + h, p.z}) - f({p.x, p.y - h, p.z})) / (2 * h),
                        (f({p.x, p.y, p.z + h}) - f({p.x, p.y, p.z - h})) / (2 * h)};
    };
    int smooth = 0;
    for (int i = 0; i < 500; ++i) {
        const Position p = random.position(60);
        const Position narrow = slope(p, 1e-5);
        const auto differs = [&narrow](const Position& other, double by) {
            return std::max(
                       {std::abs(other.x - narrow.x), std::abs(other.y - narrow.y), std::abs(other.z - narrow.z)}) > by;
        };
        // A ridge or an edge, where there is no one slope; a heightmap looks a little further than it is asked to.
        if (differs(slope(p, 1e-3), 1e-3) || differs(slope(p, 3e-3), 2e-3)) continue;
        ++smooth;
        const Gradient g = GetParam().field->gradient_at(p, 1e-3);
        ASSERT_NEAR(g.x, narrow.x, 2e-3) << i;
        ASSERT_NEAR(g.y, narrow.y, 2e-3) << i;
        ASSERT_NEAR(g.z, narrow.z, 2e-3) << i;
    }
    EXPECT_GT(smooth, 450);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryField, testing::ValuesIn(all_cases()), [](const auto& each) {
    std::string name = each.param.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
});

}  // namespace
