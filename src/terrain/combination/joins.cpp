#include "terrain/combination/joins.hpp"

#include <algorithm>
#include <limits>

#include "terrain/simd.hpp"

#define HWY_DISABLED_TARGETS HWY_SSSE3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "terrain/combination/joins.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace quarry::terrain::impl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The operations of smooth_minimum; where nothing overlaps, 0 is taken from the lesser.
// Goes on from i as long as there are whole vectors.
template <bool Blended, class D>
HWY_INLINE std::size_t join_vectors(D d, const Join& join, float* so_far, const float* part, std::size_t i,
                                    std::size_t count) {
    const auto out = hn::Set(d, join.out);
    const auto of_sum = hn::Set(d, join.sum);
    const auto of_part = hn::Set(d, join.part);
    const auto blend = hn::Set(d, join.blend);
    const auto four_blends = hn::Set(d, 4 * join.blend);
    const std::size_t lanes = hn::Lanes(d);
    for (; i + lanes <= count; i += lanes) {
        const auto a = hn::Mul(of_sum, hn::LoadU(d, so_far + i));
        const auto b = hn::Mul(of_part, hn::LoadU(d, part + i));
        // As std::min: the first where they are equal.
        auto least = hn::IfThenElse(hn::Lt(b, a), b, a);
        if constexpr (Blended) {
            const auto overlap = hn::Sub(blend, hn::Abs(hn::Sub(a, b)));
            const auto overlaps = hn::Gt(overlap, hn::Zero(d));
            // Mostly the two are far apart, and a division is dear.
            if (!hn::AllFalse(d, overlaps)) {
                const auto positive = hn::IfThenElseZero(overlaps, overlap);
                least = hn::Sub(least, hn::Div(hn::Mul(positive, positive), four_blends));
            }
        }
        hn::StoreU(hn::Mul(out, least), d, so_far + i);
    }
    return i;
}

// Rows of bricks are as short as 8.
template <bool Blended>
HWY_INLINE void join_values(const Join& join, float* so_far, const float* part, std::size_t count) {
    std::size_t i = join_vectors<Blended>(hn::ScalableTag<float>(), join, so_far, part, 0, count);
    i = join_vectors<Blended>(hn::CappedTag<float, 8>(), join, so_far, part, i, count);
    for (; i < count; ++i) so_far[i] = join(so_far[i], part[i]);
}

void join_kernel(const Join& join, float* so_far, const float* part, std::size_t count) {
    if (join.blend > 0) {
        join_values<true>(join, so_far, part, count);
    } else {
        join_values<false>(join, so_far, part, count);
    }
}

void join_brick_kernel(const Join& join, float* so_far, const BrickShape& shape, const float* part) {
    for (std::size_t z = 0; z < shape.nz; ++z) {
        for (std::size_t y = 0; y < shape.ny; ++y, part += shape.nx) {
            join_kernel(join, so_far + z * shape.plane + y * shape.row, part, shape.nx);
        }
    }
}

// Rows are short: what they have is brought together once, at the end.
Interval extremes_kernel(const float* values, const BrickShape& shape) {
    const hn::CappedTag<float, 8> d;
    const std::size_t lanes = hn::Lanes(d);
    float low = std::numeric_limits<float>::infinity();
    float high = -low;
    auto lows = hn::Set(d, low);
    auto highs = hn::Set(d, high);
    for (std::size_t z = 0; z < shape.nz; ++z) {
        for (std::size_t y = 0; y < shape.ny; ++y) {
            const float* const row = values + z * shape.plane + y * shape.row;
            std::size_t i = 0;
            for (; i + lanes <= shape.nx; i += lanes) {
                const auto found = hn::LoadU(d, row + i);
                lows = hn::Min(lows, found);
                highs = hn::Max(highs, found);
            }
            for (; i < shape.nx; ++i) {
                low = std::min(low, row[i]);
                high = std::max(high, row[i]);
            }
        }
    }
    return {std::min(low, hn::GetLane(hn::MinOfLanes(d, lows))), std::max(high, hn::GetLane(hn::MaxOfLanes(d, highs)))};
}

}  // namespace quarry::terrain::impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quarry::terrain::impl {
namespace {

struct JoinKernels {
    void (*join)(const Join& join, float* so_far, const float* part, std::size_t count);
    void (*join_brick)(const Join& join, float* so_far, const BrickShape& shape, const float* part);
    Interval (*extremes)(const float* values, const BrickShape& shape);
};

// In the order of SimdTarget, as the noise's.
constexpr JoinKernels kJoinKernels[] = {
    {HWY_CHOOSE_FALLBACK(join_kernel), HWY_CHOOSE_FALLBACK(join_brick_kernel), HWY_CHOOSE_FALLBACK(extremes_kernel)},
    {HWY_CHOOSE_SSE4(join_kernel), HWY_CHOOSE_SSE4(join_brick_kernel), HWY_CHOOSE_SSE4(extremes_kernel)},
    {HWY_CHOOSE_AVX2(join_kernel), HWY_CHOOSE_AVX2(join_brick_kernel), HWY_CHOOSE_AVX2(extremes_kernel)},
    {HWY_CHOOSE_AVX3(join_kernel), HWY_CHOOSE_AVX3(join_brick_kernel), HWY_CHOOSE_AVX3(extremes_kernel)},
    {HWY_CHOOSE_NEON(join_kernel), HWY_CHOOSE_NEON(join_brick_kernel), HWY_CHOOSE_NEON(extremes_kernel)},
};

const JoinKernels& join_kernels() noexcept {
    return kJoinKernels[static_cast<std::size_t>(simd_target())];
}

}  // namespace

void join_all(const Join& join, float* so_far, const float* part, std::size_t count) {
    join_kernels().join(join, so_far, part, count);
}

void join_brick(const Join& join, float* so_far, const BrickShape& shape, const float* part) {
    join_kernels().join_brick(join, so_far, shape, part);
}

Interval extremes(const float* values, const BrickShape& shape) {
    return join_kernels().extremes(values, shape);
}

}  // namespace quarry::terrain::impl
#endif
