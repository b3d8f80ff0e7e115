#include "quarry/terrain/surface_samples.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "tests/terrain/field_cases.hpp"
#include "tests/terrain/support.hpp"

namespace {

using namespace quarry::terrain;

// Signs must agree everywhere; densities where a cell around the sample has a surface.
void expect_same_surface(const SampleBlock& block, const std::vector<float>& all, const std::vector<float>& near) {
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(near[i] < 0, all[i] < 0) << i;
    for (std::int32_t z = 0; z + 1 < block.nz; ++z) {
        for (std::int32_t y = 0; y + 1 < block.ny; ++y) {
            for (std::int32_t x = 0; x + 1 < block.nx; ++x) {
                int solid = 0;
                int equal = 0;
                for (int corner = 0; corner < 8; ++corner) {
                    const std::size_t i = block.index(x + (corner & 1), y + ((corner >> 1) & 1), z + (corner >> 2));
                    solid += all[i] < 0 ? 1 : 0;
                    equal += all[i] == near[i] ? 1 : 0;
                }
                if (solid != 0 && solid != 8) {
                    ASSERT_EQ(equal, 8) << x << " " << y << " " << z;
                }
            }
        }
    }
}

TEST(SurfaceSamples, HaveTheSurfaceOfTheWholeBlock) {
    Random random(301);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (const FieldCase& each : all_cases()) {
        for (int round = 0; round < 12; ++round) {
            const SampleBlock block{.first = random.point(60),
                                    .step = 1 << random.integer(0, 4),
                                    .nx = random.integer(1, 12),
                                    .ny = round < 3 ? round + 1 : random.integer(1, 35),
                                    .nz = random.integer(1, 12)};
            std::vector<float> near(block.size(), 1e30F);
            const std::size_t rows = sample_near_surface(*each.field, block, near.data());
            ASSERT_LE(rows, static_cast<std::size_t>(block.ny * block.nz));
            ASSERT_EQ(*std::max_element(near.begin(), near.end()) < 1e30F, true) << each.name << " left a sample out";
            expect_same_surface(block, sampled(*each.field, block), near);
            if (HasFatalFailure()) FAIL() << each.name << ", round " << round;
        }
    }
}

TEST(SurfaceSamples, LeaveOutMostOfACoarseChunk) {
    const NoiseField field;
    const SampleBlock block{.first = {0, -128, 0}, .step = 8, .nx = 33, .ny = 33, .nz = 33};
    std::vector<float> out(block.size());
    const std::size_t rows = sample_near_surface(field, block, out.data());
    EXPECT_GT(rows, 0U);
    EXPECT_LT(rows, 33U * 33U / 2);
    EXPECT_EQ(sample_near_surface(field, {.first = {0, 500, 0}, .nx = 33, .ny = 33, .nz = 33}, out.data()), 0U);
}

}  // namespace
