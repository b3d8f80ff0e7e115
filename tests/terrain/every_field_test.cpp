// What every field promises (quarry/terrain/field.hpp), tried on every kind of field.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/compile.hpp"
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

// Field::within, by compile: what meshing asks instead of the field itself.
TEST_P(EveryField, WhatIsLeftOfItInABoxHasTheSameBitsThere) {
    Random random(107);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (int round = 0; round < 60; ++round) {
        const SampleBlock block = random_block(random, round % 2 == 0 ? 1 : 0.3);
        const Box box = box_of(block);
        const auto here = compile(GetParam().field, box);
        ASSERT_TRUE(same_bits(sampled(*here, block), sampled(*GetParam().field, block))) << "round " << round;
        ASSERT_TRUE(same_bits(sampled_by_points(*here, block), sampled_by_points(*GetParam().field, block)));
        // Once more, in a part of the box, and its bounds there.
        SampleBlock part = block;
        part.nx = (block.nx + 1) / 2;
        part.ny = (block.ny + 1) / 2;
        const auto inner = compile(here, box_of(part));
        const std::vector<float> samples = sampled(*GetParam().field, part);
        ASSERT_TRUE(same_bits(sampled(*inner, part), samples)) << "round " << round;
        const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
        for (const auto& field : {here, inner}) {
            const Interval bounds = field->bounds(box_of(part)), range = field->range(box_of(part));
            ASSERT_LE(std::max(bounds.low, range.low), *low) << "round " << round;
            ASSERT_GE(std::min(bounds.high, range.high), *high) << "round " << round;
        }
    }
}

// Signs everywhere, densities where another sign is within two steps.
void expect_surface_samples(const Field& field, const SampleBlock& block) {
    const std::vector<float> all = sampled(field, block);
    std::vector<float> near(block.size());
    field.sample_surface(block, near.data());
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(near[i] < 0, all[i] < 0) << i;
    const auto has_another_sign = [&](std::int32_t x, std::int32_t y, std::int32_t z) {
        const bool inside = all[block.index(x, y, z)] < 0;
        for (std::int32_t k = std::max(z - 2, 0); k <= std::min(z + 2, block.nz - 1); ++k) {
            for (std::int32_t j = std::max(y - 2, 0); j <= std::min(y + 2, block.ny - 1); ++j) {
                for (std::int32_t i = std::max(x - 2, 0); i <= std::min(x + 2, block.nx - 1); ++i) {
                    if ((all[block.index(i, j, k)] < 0) != inside) return true;
                }
            }
        }
        return false;
    };
    for (std::int32_t z = 0; z < block.nz; ++z) {
        for (std::int32_t y = 0; y < block.ny; ++y) {
            for (std::int32_t x = 0; x < block.nx; ++x) {
                const std::size_t i = block.index(x, y, z);
                ASSERT_TRUE(all[i] == near[i] || !has_another_sign(x, y, z)) << x << " " << y << " " << z;
            }
        }
    }
}

TEST_P(EveryField, SamplesOfTheSurfaceHaveItsDensities) {
    Random random(108);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (int round = 0; round < 40; ++round) {
        SampleBlock block = random_block(random, round % 2 == 0 ? 1 : 0.5);
        block.first = random.point(60);
        block.ny = random.integer(1, 35);
        const auto here = compile(GetParam().field, box_of(block));
        expect_surface_samples(*GetParam().field, block);
        expect_surface_samples(*here, block);
        if (HasFatalFailure()) FAIL() << "round " << round;
    }
}

// Most of what is left out is left out here: among many shapes, and where noise is far from the ground.
TEST(SurfaceOfManyShapes, HasItsDensitiesWhereShapesAreDugAndWhereTheyAreAdded) {
    Random random(109);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (const Combination how : {Combination::subtract, Combination::unite}) {
        std::shared_ptr<const Field> field = std::make_shared<NoiseField>(NoiseOptions{.seed = 9});
        for (int i = 0; i < 60; ++i) {
            const Position at = random.position(70);
            std::shared_ptr<const Field> shape = std::make_shared<SphereField>(at, random.real(2, 16));
            if (i % 4 == 1) shape = std::make_shared<BoxField>(at, Position{3, 9, 5});
            if (i % 4 == 2) shape = std::make_shared<TorusField>(at, 9, 3);
            if (i % 4 == 3) shape = std::make_shared<CapsuleField>(at, random.position(70), 4);
            field = std::make_shared<CombinedField>(how, field, shape);
        }
        const RoughField rough(field, {.seed = 3, .octaves = 2, .frequency = 0.1, .amplitude = 3});
        int differ = 0;
        for (int round = 0; round < 24; ++round) {
            SampleBlock block{.first = random.point(70), .step = 1 << random.integer(0, 1)};
            // Every other block lies in the ground where shapes are dug, and in the air where they are added.
            if (round % 2 == 0) block.first.y = how == Combination::subtract ? -70 : 25;
            block.nx = block.ny = block.nz = 33;
            expect_surface_samples(*field, block);
            expect_surface_samples(rough, block);
            if (testing::Test::HasFatalFailure()) FAIL() << "round " << round;
            std::vector<float> near(block.size());
            field->sample_surface(block, near.data());
            differ += near == sampled(*field, block) ? 0 : 1;
        }
        EXPECT_GT(differ, 4) << "nothing was left out";
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
