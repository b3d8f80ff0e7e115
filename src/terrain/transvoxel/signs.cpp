#include "quarry/terrain/simd.hpp"
#include "terrain/transvoxel/surface.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
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

void sign_rows(const float* samples, std::size_t width, std::size_t rows, std::uint64_t* out) {
    for (std::size_t row = 0; row < rows; ++row) out[row] = inside_bits(samples + row * width, width);
}

#if defined(__x86_64__)
// Sixteen comparisons make a mask at once.
__attribute__((target("avx512f"))) void sign_rows_avx512(const float* samples, std::size_t width, std::size_t rows,
                                                         std::uint64_t* out) {
    const std::uint64_t all = low_bits(width);
    for (std::size_t row = 0; row < rows; ++row) {
        std::uint64_t bits = 0;
        for (std::size_t x = 0; x < width; x += 16) {
            const __m512 values = _mm512_loadu_ps(samples + row * width + x);
            bits |= static_cast<std::uint64_t>(_mm512_cmp_ps_mask(values, _mm512_setzero_ps(), _CMP_LT_OQ)) << x;
        }
        out[row] = bits & all;
    }
}
#endif

}  // namespace

bool find_signs(const ChunkGrid& grid, impl::ExtractMemory& memory) {
    const std::size_t rows = grid.samples * grid.samples;
    memory.signs.resize(rows);
#if defined(__x86_64__)
    const auto fill = simd_target() == SimdTarget::avx512 ? sign_rows_avx512 : sign_rows;
#else
    const auto fill = sign_rows;
#endif
    fill(memory.samples.data(), grid.samples, rows, memory.signs.data());
    std::uint64_t some = 0;
    std::uint64_t all = low_bits(grid.samples);
    for (const std::uint64_t bits : memory.signs) {
        some |= bits;
        all &= bits;
    }
    return some != 0 && all != low_bits(grid.samples);
}

}  // namespace quarry::terrain::transvoxel
