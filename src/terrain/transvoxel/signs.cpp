#include <hwy/highway.h>

#include "terrain/transvoxel/surface.hpp"

namespace quarry::terrain::transvoxel {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Inside is this one strict comparison, here as everywhere: 0, -0 and what is no number are outside.
std::uint64_t inside_bits(const float* row, std::size_t count) {
    // Four lanes on every target: the row's words then do not depend on it.
    const hn::CappedTag<float, 4> lanes;
    const std::size_t width = hn::Lanes(lanes);
    std::uint64_t bits = 0;
    for (std::size_t x = 0; x < count; x += width) {
        std::uint8_t part[8] = {};
        hn::StoreMaskBits(lanes, hn::Lt(hn::LoadU(lanes, row + x), hn::Zero(lanes)), part);
        bits |= std::uint64_t{part[0]} << x;
    }
    return bits & low_bits(count);
}

}  // namespace

bool find_signs(const ChunkGrid& grid, impl::ExtractMemory& memory) {
    const std::size_t rows = grid.samples * grid.samples;
    memory.signs.resize(rows);
    std::uint64_t some = 0;
    std::uint64_t all = low_bits(grid.samples);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::uint64_t bits = inside_bits(memory.samples.data() + row * grid.samples, grid.samples);
        memory.signs[row] = bits;
        some |= bits;
        all &= bits;
    }
    return some != 0 && all != low_bits(grid.samples);
}

}  // namespace quarry::terrain::transvoxel
