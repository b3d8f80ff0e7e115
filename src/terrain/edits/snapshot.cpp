#include "terrain/edits/snapshot.hpp"

namespace quarry::terrain::edits {
namespace {

void overlay(const BrickKey& key, const DensityBrick& brick, FixedPoint fixed, const SampleBlock& block, float* out) {
    const LatticeBox box = box_of(key);
    const Run xs = run_within(block.first.x, block.step, block.nx, box.low.x, box.high.x);
    const Run ys = run_within(block.first.y, block.step, block.ny, box.low.y, box.high.y);
    const Run zs = run_within(block.first.z, block.step, block.nz, box.low.z, box.high.z);
    for (std::int32_t z = zs.first; z <= zs.last; ++z) {
        const LatticePoint first{block.first.x + xs.first * block.step, block.first.y + ys.first * block.step,
                                 block.first.z + z * block.step};
        const std::int16_t* values = brick.values.data() + index_of<DensityBrick>(first);
        float* out_row = out + block.index(xs.first, ys.first, z);
        if (block.step == 1) {
            overlay_rows(fixed.steps(),
                         {values, kBrickSize, out_row, block.nx, xs.last - xs.first + 1, ys.last - ys.first + 1});
            continue;
        }
        for (std::int32_t y = ys.first; y <= ys.last; ++y, values += block.step * kBrickSize, out_row += block.nx) {
            const std::int16_t* value = values;
            for (float* to = out_row; to <= out_row + (xs.last - xs.first); ++to, value += block.step) {
                *to = *value == DensityBrick::kUntouched ? *to : fixed.density(*value);
            }
        }
    }
}

std::int32_t clipped(double coordinate) noexcept {
    return static_cast<std::int32_t>(std::clamp<double>(coordinate, -kLatticeLimit, kLatticeLimit));
}

}  // namespace

void sample_edited(const Field& ground, const BrickTree<DensityBrick>& densities, FixedPoint fixed,
                   const SampleBlock& block, float* out) {
    ground.sample(block, out);
    if (densities.empty()) return;
    densities.for_each_in(
        {block.first, block.step, block.nx, block.ny, block.nz},
        [&](const BrickKey& key, const DensityBrick& brick) { overlay(key, brick, fixed, block, out); });
}

LatticeBox points_around(const Box& box, const Lattice& lattice) noexcept {
    const auto low = [&](double at, double origin) {
        return clipped(std::floor((at - origin) / lattice.voxel_size) - 1);
    };
    const auto high = [&](double at, double origin) {
        return clipped(std::ceil((at - origin) / lattice.voxel_size) + 1);
    };
    return {
        {low(box.low.x, lattice.origin.x), low(box.low.y, lattice.origin.y), low(box.low.z, lattice.origin.z)},
        {high(box.high.x, lattice.origin.x), high(box.high.y, lattice.origin.y), high(box.high.z, lattice.origin.z)}};
}

}  // namespace quarry::terrain::edits
