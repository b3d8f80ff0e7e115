#include "quarry/terrain/lattice.hpp"

#include <limits>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace {

using namespace quarry::terrain;

std::string refusal(const SampleBlock& block) {
    try {
        check(block);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

TEST(Lattice, CoarseSamplesLieOnEvenFineOnes) {
    const Lattice lattice{.voxel_size = 0.1, .origin = {3, -7, 1e-3}};
    const SampleBlock fine{.first = {-1000, 40, 6}, .step = 2, .nx = 33, .ny = 33, .nz = 33, .lattice = lattice};
    const SampleBlock coarse{.first = {-1000, 40, 6}, .step = 4, .nx = 17, .ny = 17, .nz = 17, .lattice = lattice};
    for (std::int32_t i = 0; i < coarse.nx; ++i) {
        EXPECT_EQ(coarse.at(i, 1, i), fine.at(2 * i, 2, 2 * i));
    }
}

TEST(Lattice, BlocksAreAddressedWithXFastestThenY) {
    const SampleBlock block{.nx = 5, .ny = 7, .nz = 2};
    EXPECT_EQ(block.size(), 70U);
    EXPECT_EQ(block.index(1, 0, 0), 1U);
    EXPECT_EQ(block.index(0, 1, 0), 5U);
    EXPECT_EQ(block.index(4, 6, 1), 69U);
}

TEST(Lattice, ABoxHoldsTheFirstAndTheLastSample) {
    const SampleBlock block{
        .first = {-4, 0, 8}, .step = 4, .nx = 3, .ny = 1, .nz = 2, .lattice = {.voxel_size = 0.5, .origin = {1, 2, 3}}};
    EXPECT_EQ(box_of(block), (Box{{-1, 2, 7}, {3, 2, 9}}));
}

TEST(Lattice, BadBlocksAreRefusedByName) {
    EXPECT_EQ(refusal({}), "");
    EXPECT_EQ(refusal({.step = 128, .nx = 33, .ny = 33, .nz = 33}), "");
    for (const std::int32_t step : {0, -1, 3, 96, 256}) {
        EXPECT_NE(refusal({.step = step}).find("SampleBlock.step"), std::string::npos) << step;
    }
    EXPECT_NE(refusal({.nx = 0}).find("SampleBlock.nx"), std::string::npos);
    EXPECT_NE(refusal({.first = {0, kLatticeLimit, 0}, .ny = 2}).find("SampleBlock.ny"), std::string::npos);
    EXPECT_EQ(refusal({.first = {0, kLatticeLimit, 0}}), "");
    EXPECT_NE(refusal({.first = {0, 0, -kLatticeLimit - 1}}).find("SampleBlock.nz"), std::string::npos);
    EXPECT_NE(refusal({.nx = std::numeric_limits<std::int32_t>::max(), .ny = 1}).find("SampleBlock.nx"),
              std::string::npos);
    for (const double size :
         {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        EXPECT_NE(refusal({.lattice = {.voxel_size = size}}).find("Lattice.voxel_size"), std::string::npos) << size;
    }
    EXPECT_NE(refusal({.lattice = {.origin = {0, std::numeric_limits<double>::infinity(), 0}}}).find("Lattice.origin"),
              std::string::npos);
}

}  // namespace
