#include "quarry/terrain/lattice.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

namespace quarry::terrain {
namespace {

void check_axis(const char* axis, std::int32_t first, std::int32_t count, std::int32_t step) {
    const std::int64_t last = first + (std::int64_t{count} - 1) * step;
    if (count < 1 || first < -kLatticeLimit || last > kLatticeLimit) {
        throw std::invalid_argument(std::string("SampleBlock.n") + axis + " is " + std::to_string(count) + " from " +
                                    std::to_string(first) + " on; at least 1 sample, all within +-" +
                                    std::to_string(kLatticeLimit) + ", are allowed");
    }
}

}  // namespace

void check(const SampleBlock& block) {
    if (block.step < 1 || block.step > kLargestStep || !std::has_single_bit(static_cast<std::uint32_t>(block.step))) {
        throw std::invalid_argument("SampleBlock.step is " + std::to_string(block.step) +
                                    "; a power of two from 1 to " + std::to_string(kLargestStep) + " is allowed");
    }
    check_axis("x", block.first.x, block.nx, block.step);
    check_axis("y", block.first.y, block.ny, block.step);
    check_axis("z", block.first.z, block.nz, block.step);
    const Position& origin = block.lattice.origin;
    if (!(block.lattice.voxel_size > 0) || !std::isfinite(block.lattice.voxel_size)) {
        throw std::invalid_argument("Lattice.voxel_size is " + std::to_string(block.lattice.voxel_size) +
                                    "; a finite number above 0 is allowed");
    }
    if (!std::isfinite(origin.x) || !std::isfinite(origin.y) || !std::isfinite(origin.z)) {
        throw std::invalid_argument("Lattice.origin is not finite; three finite numbers are allowed");
    }
}

}  // namespace quarry::terrain
