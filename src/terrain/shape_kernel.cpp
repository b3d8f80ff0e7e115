#include "terrain/shape_kernel.hpp"

#include <cmath>

#include "terrain/simd.hpp"

#define HWY_DISABLED_TARGETS HWY_SSSE3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "terrain/shape_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace quarry::terrain::impl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Square roots are rounded right on every target.
void ball_kernel(const double* squares, std::size_t count, double y_square, double z_square, double radius,
                 float* out) {
    const hn::ScalableTag<double> d;
    const hn::Rebind<float, decltype(d)> df;
    const std::size_t lanes = hn::Lanes(d);
    const auto of_y = hn::Set(d, y_square);
    const auto of_z = hn::Set(d, z_square);
    const auto radii = hn::Set(d, radius);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const auto length = hn::Sqrt(hn::Add(hn::Add(hn::LoadU(d, squares + i), of_y), of_z));
        hn::StoreU(hn::DemoteTo(df, hn::Sub(length, radii)), df, out + i);
    }
    for (; i < count; ++i) out[i] = static_cast<float>(std::sqrt(squares[i] + y_square + z_square) - radius);
}

}  // namespace quarry::terrain::impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quarry::terrain::impl {
namespace {

using BallKernel = void (*)(const double* squares, std::size_t count, double y_square, double z_square, double radius,
                            float* out);

// In the order of SimdTarget, as the noise's.
constexpr BallKernel kBallKernels[] = {HWY_CHOOSE_FALLBACK(ball_kernel), HWY_CHOOSE_SSE4(ball_kernel),
                                       HWY_CHOOSE_AVX2(ball_kernel), HWY_CHOOSE_AVX3(ball_kernel),
                                       HWY_CHOOSE_NEON(ball_kernel)};

}  // namespace

void distances_from_ball(const double* squares, std::size_t count, double y_square, double z_square, double radius,
                         float* out) {
    kBallKernels[static_cast<std::size_t>(simd_target())](squares, count, y_square, z_square, radius, out);
}

}  // namespace quarry::terrain::impl
#endif
