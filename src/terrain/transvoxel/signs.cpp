#include "terrain/transvoxel/surface.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace quarry::terrain::transvoxel {
namespace {

// Inside is this one strict comparison, here as everywhere: 0, -0 and what is no number are outside.
std::uint64_t inside_bits(const float* row, std::size_t count) {
    std::uint64_t bits = 0;
#if defined(__SSE2__)
    // Highway hands masks over through memory, which takes four times as long as this instruction.
    for (std::size_t x = 0; x < count; x += 4) {
        const int four = _mm_movemask_ps(_mm_cmplt_ps(_mm_loadu_ps(row + x), _mm_setzero_ps()));
        bits |= static_cast<std::uint64_t>(four) << x;
    }
#else
    for (std::size_t x = 0; x < count; ++x) bits |= std::uint64_t{row[x] < 0} << x;
#endif
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
