#include "terrain/vertices.hpp"

#include <cmath>
#include <cstddef>

#include "terrain/simd.hpp"

#define HWY_DISABLED_TARGETS HWY_SSSE3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "terrain/vertices.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QUARRY_TERRAIN_VERTICES_ONCE
#define QUARRY_TERRAIN_VERTICES_ONCE
namespace quarry::terrain::impl {

inline Vector3 normal_of_odd_gradient(const Gradient& gradient) noexcept {
    const double x = gradient.x, y = gradient.y, z = gradient.z;
    const double length = std::sqrt(x * x + y * y + z * z);
    if (!(length > 0) || !std::isfinite(length)) return {0, 1, 0};
    return {static_cast<float>(x / length), static_cast<float>(y / length), static_cast<float>(z / length)};
}

// Squares between these have kept all their digits in a float.
inline constexpr float kSmallestSquare = 1e-20f;
inline constexpr float kLargestSquare = 1e30f;

inline Vector3 normal_from(const Gradient& gradient) noexcept {
    const float square = gradient.x * gradient.x + gradient.y * gradient.y + gradient.z * gradient.z;
    if (!(square > kSmallestSquare && square < kLargestSquare)) return normal_of_odd_gradient(gradient);
    const float scale = 1 / std::sqrt(square);
    return {gradient.x * scale, gradient.y * scale, gradient.z * scale};
}

inline double world_coordinate(float local, double first, const SampleBlock& block, double origin) noexcept {
    return (first + static_cast<double>(local) * block.step) * block.lattice.voxel_size + origin;
}

}  // namespace quarry::terrain::impl
#endif

HWY_BEFORE_NAMESPACE();
namespace quarry::terrain::impl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Coordinates one after the other, x, y and z in turn: what belongs to an axis repeats after three vectors.
void places(const Vector3* vertices, std::size_t count, const SampleBlock& block, Position* out) {
    const hn::ScalableTag<double> d;
    const hn::Rebind<float, decltype(d)> df;
    const std::size_t lanes = hn::Lanes(d);
    const double first[3] = {static_cast<double>(block.first.x), static_cast<double>(block.first.y),
                             static_cast<double>(block.first.z)};
    const double origin[3] = {block.lattice.origin.x, block.lattice.origin.y, block.lattice.origin.z};
    alignas(64) double firsts[3 * 8];
    alignas(64) double origins[3 * 8];
    for (std::size_t i = 0; i < 3 * lanes; ++i) {
        firsts[i] = first[i % 3];
        origins[i] = origin[i % 3];
    }
    const auto step = hn::Set(d, static_cast<double>(block.step));
    const auto size = hn::Set(d, block.lattice.voxel_size);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const float* const from = &vertices[i].x;
        double* const to = &out[i].x;
        for (std::size_t part = 0; part < 3 * lanes; part += lanes) {
            const auto local = hn::PromoteTo(d, hn::LoadU(df, from + part));
            const auto lattice = hn::Add(hn::Load(d, firsts + part), hn::Mul(local, step));
            hn::StoreU(hn::Add(hn::Mul(lattice, size), hn::Load(d, origins + part)), d, to + part);
        }
    }
    for (; i < count; ++i) {
        out[i] = {world_coordinate(vertices[i].x, first[0], block, origin[0]),
                  world_coordinate(vertices[i].y, first[1], block, origin[1]),
                  world_coordinate(vertices[i].z, first[2], block, origin[2])};
    }
}

// Square roots and divisions are rounded right on every target.
void normals(const Gradient* gradients, std::size_t count, Vector3* out) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        hn::Vec<decltype(d)> x, y, z;
        hn::LoadInterleaved3(d, &gradients[i].x, x, y, z);
        const auto square = hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
        const auto plain =
            hn::And(hn::Gt(square, hn::Set(d, kSmallestSquare)), hn::Lt(square, hn::Set(d, kLargestSquare)));
        if (!hn::AllTrue(d, plain)) {
            for (std::size_t odd = i; odd < i + lanes; ++odd) out[odd] = normal_from(gradients[odd]);
            continue;
        }
        const auto scale = hn::Div(hn::Set(d, 1.0F), hn::Sqrt(square));
        hn::StoreInterleaved3(hn::Mul(x, scale), hn::Mul(y, scale), hn::Mul(z, scale), d, &out[i].x);
    }
    for (; i < count; ++i) out[i] = normal_from(gradients[i]);
}

}  // namespace quarry::terrain::impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quarry::terrain::impl {
namespace {

struct VertexKernels {
    void (*places)(const Vector3* vertices, std::size_t count, const SampleBlock& block, Position* out);
    void (*normals)(const Gradient* gradients, std::size_t count, Vector3* out);
};

// In the order of SimdTarget, as the noise's.
constexpr VertexKernels kKernels[] = {
    {HWY_CHOOSE_FALLBACK(places), HWY_CHOOSE_FALLBACK(normals)}, {HWY_CHOOSE_SSE4(places), HWY_CHOOSE_SSE4(normals)},
    {HWY_CHOOSE_AVX2(places), HWY_CHOOSE_AVX2(normals)},         {HWY_CHOOSE_AVX3(places), HWY_CHOOSE_AVX3(normals)},
    {HWY_CHOOSE_NEON(places), HWY_CHOOSE_NEON(normals)},
};

const VertexKernels& kernels() noexcept {
    return kKernels[static_cast<std::size_t>(simd_target())];
}

}  // namespace

void to_world(std::span<const Vector3> vertices, const SampleBlock& block, Position* out) {
    kernels().places(vertices.data(), vertices.size(), block, out);
}

void to_normals(std::span<const Gradient> gradients, Vector3* out) {
    kernels().normals(gradients.data(), gradients.size(), out);
}

}  // namespace quarry::terrain::impl
#endif
