#include "quarry/terrain/surface_samples.hpp"

#include <algorithm>
#include <cstddef>

#include "terrain/nearest_rounding.hpp"
#include "terrain/scratch.hpp"

namespace quarry::terrain {
namespace {

constexpr std::int32_t kLayerCells = 4;

// Rows first .. first + count - 1 of each plane.
SampleBlock rows_of(const SampleBlock& block, std::int32_t first, std::int32_t count) noexcept {
    SampleBlock rows = block;
    rows.first.y += first * block.step;
    rows.ny = count;
    return rows;
}

void sample_rows(const Field& field, const SampleBlock& block, std::int32_t first, std::int32_t count, float* out) {
    const SampleBlock rows = rows_of(block, first, count);
    if (count == block.ny) {
        field.sample_surface(block, out);
        return;
    }
    impl::ScratchFloats samples(rows.size());
    field.sample_surface(rows, samples.data());
    const auto plane = static_cast<std::size_t>(count) * static_cast<std::size_t>(block.nx);
    for (std::int32_t z = 0; z < block.nz; ++z) {
        std::copy_n(samples.data() + static_cast<std::size_t>(z) * plane, plane, out + block.index(0, first, z));
    }
}

void fill_rows(const SampleBlock& block, std::int32_t first, std::int32_t last, float value, float* out) {
    const auto count = static_cast<std::size_t>(last - first) * static_cast<std::size_t>(block.nx);
    for (std::int32_t z = 0; z < block.nz; ++z) std::fill_n(out + block.index(0, first, z), count, value);
}

}  // namespace

std::size_t sample_near_surface(const Field& field, const SampleBlock& block, float* out) {
    const impl::NearestRounding nearest;
    std::int32_t sampled_rows = 0;
    std::int32_t sampled_to = 0;  // the first row that is neither sampled nor filled yet
    std::int32_t run = -1;        // where the layers that have to be sampled began
    const auto end_run = [&](std::int32_t last) {
        const std::int32_t first = std::max(run, sampled_to);
        sample_rows(field, block, first, last - first, out);
        sampled_rows += last - first;
        sampled_to = last;
        run = -1;
    };
    for (std::int32_t layer = 0; layer < block.ny; layer += kLayerCells) {
        // The last row of a layer is the first one of the next. A block of a single row has one layer.
        const std::int32_t last = std::min(layer + kLayerCells, block.ny - 1);
        if (last == layer && layer != 0) break;
        const Interval bounds = field.bounds(box_of(rows_of(block, layer, last - layer + 1)));
        if (bounds.may_have_surface()) {
            if (run < 0) run = layer;
            continue;
        }
        if (run >= 0) end_run(layer + 1);
        const std::int32_t first = std::max(layer, sampled_to);
        const std::int32_t end = last + 1 == block.ny ? block.ny : last;
        fill_rows(block, first, std::max(first, end), bounds.low < 0 ? bounds.high : bounds.low, out);
        sampled_to = std::max(sampled_to, std::max(first, end));
    }
    if (run >= 0) end_run(block.ny);
    return static_cast<std::size_t>(sampled_rows) * static_cast<std::size_t>(block.nz);
}

}  // namespace quarry::terrain
