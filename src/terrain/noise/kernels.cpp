#include "terrain/noise/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "terrain/noise/noise.hpp"
#include "terrain/noise/tile.hpp"
#include "terrain/simd.hpp"

// SSSE3 without SSE4 is not worth its compile time.
#define HWY_DISABLED_TARGETS HWY_SSSE3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "terrain/noise/kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "terrain/noise/densities-inl.hpp"
#include "terrain/noise/gradients-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace quarry::terrain::impl::HWY_NAMESPACE {

void block(const NoiseSum& sum, const SampleBlock& where, NoiseForm form, const Base& base, float* out) {
    block_kernel(sum, where, form, base, out);
}

void points(const NoiseSum& sum, const Base& base, std::span<const Position> where, float* out) {
    points_kernel(sum, base, where, out);
}

void gradients(const NoiseSum& sum, const GradientTerms& terms, std::span<const Position> where, Gradient* out) {
    gradients_kernel(sum, terms, where, out);
}

}  // namespace quarry::terrain::impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quarry::terrain::impl {
namespace {

// In the order of SimdTarget; without functions where the target was not compiled.
constexpr NoiseKernels kKernels[] = {
    {HWY_CHOOSE_FALLBACK(block), HWY_CHOOSE_FALLBACK(points), HWY_CHOOSE_FALLBACK(gradients)},
    {HWY_CHOOSE_SSE4(block), HWY_CHOOSE_SSE4(points), HWY_CHOOSE_SSE4(gradients)},
    {HWY_CHOOSE_AVX2(block), HWY_CHOOSE_AVX2(points), HWY_CHOOSE_AVX2(gradients)},
    {HWY_CHOOSE_AVX3(block), HWY_CHOOSE_AVX3(points), HWY_CHOOSE_AVX3(gradients)},
    {HWY_CHOOSE_NEON(block), HWY_CHOOSE_NEON(points), HWY_CHOOSE_NEON(gradients)},
};

}  // namespace

bool is_compiled(SimdTarget target) noexcept {
    return kKernels[static_cast<std::size_t>(target)].block != nullptr;
}

const NoiseKernels& noise_kernels() noexcept {
    return kKernels[static_cast<std::size_t>(simd_target())];
}

}  // namespace quarry::terrain::impl
#endif
