#include "terrain/shape_kernel.hpp"

#include <algorithm>
#include <array>
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

using Doubles = hn::ScalableTag<double>;
using DoubleVector = hn::Vec<Doubles>;

struct PlaceVectors {
    DoubleVector x, y, z;
};

HWY_INLINE PlaceVectors load_places(const Position* points) {
    const Doubles d;
    PlaceVectors at;
    hn::LoadInterleaved3(d, &points->x, at.x, at.y, at.z);
    return at;
}

HWY_INLINE void store_distances(DoubleVector distances, float* out) {
    const hn::Rebind<float, Doubles> df;
    hn::StoreU(hn::DemoteTo(df, distances), df, out);
}

// Square roots and divisions are rounded right on every target.
void ball_kernel(const BallSquares& squares, double radius, float* out, std::size_t row, std::size_t plane) {
    const Doubles d;
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t count = squares.x.size();
    const DoubleVector radii = hn::Set(d, radius);
    for (std::size_t k = 0; k < squares.z.size(); ++k) {
        const DoubleVector of_z = hn::Set(d, squares.z[k]);
        for (std::size_t j = 0; j < squares.y.size(); ++j) {
            const DoubleVector of_y = hn::Set(d, squares.y[j]);
            float* const to = out + k * plane + j * row;
            std::size_t i = 0;
            for (; i + lanes <= count; i += lanes) {
                const DoubleVector square = hn::Add(hn::LoadU(d, squares.x.data() + i), of_y);
                store_distances(hn::Sub(hn::Sqrt(hn::Add(square, of_z)), radii), to + i);
            }
            for (; i < count; ++i) {
                to[i] = static_cast<float>(std::sqrt(squares.x[i] + squares.y[j] + squares.z[k]) - radius);
            }
        }
    }
}

// As many points as there are whole vectors of; how many that were.
std::size_t capsule_kernel(const CapsuleLine& line, std::span<const Position> points, float* out) {
    const Doubles d;
    const std::size_t lanes = hn::Lanes(d);
    const DoubleVector zero = hn::Zero(d);
    const DoubleVector one = hn::Set(d, 1.0);
    const PlaceVectors along{hn::Set(d, line.along.x), hn::Set(d, line.along.y), hn::Set(d, line.along.z)};
    const DoubleVector square = hn::Set(d, line.square);
    std::size_t i = 0;
    for (; i + lanes <= points.size(); i += lanes) {
        PlaceVectors at = load_places(&points[i]);
        at = {hn::Sub(at.x, hn::Set(d, line.first.x)), hn::Sub(at.y, hn::Set(d, line.first.y)),
              hn::Sub(at.z, hn::Set(d, line.first.z))};
        DoubleVector share = zero;
        if (line.square > 0) {
            const DoubleVector dot =
                hn::Add(hn::Add(hn::Mul(at.x, along.x), hn::Mul(at.y, along.y)), hn::Mul(at.z, along.z));
            const DoubleVector exact = hn::Div(dot, square);
            const DoubleVector above = hn::IfThenElse(hn::Lt(exact, zero), zero, exact);
            share = hn::IfThenElse(hn::Lt(one, above), one, above);
        }
        at = {hn::Sub(at.x, hn::Mul(share, along.x)), hn::Sub(at.y, hn::Mul(share, along.y)),
              hn::Sub(at.z, hn::Mul(share, along.z))};
        const DoubleVector away =
            hn::Sqrt(hn::Add(hn::Add(hn::Mul(at.x, at.x), hn::Mul(at.y, at.y)), hn::Mul(at.z, at.z)));
        store_distances(hn::Sub(away, hn::Set(d, line.radius)), out + i);
    }
    return i;
}

std::size_t torus_kernel(const TorusRing& torus, std::span<const Position> points, float* out) {
    const Doubles d;
    const std::size_t lanes = hn::Lanes(d);
    const DoubleVector ring = hn::Set(d, torus.ring);
    const DoubleVector tube = hn::Set(d, torus.tube);
    std::size_t i = 0;
    for (; i + lanes <= points.size(); i += lanes) {
        const PlaceVectors at = load_places(&points[i]);
        const DoubleVector x = hn::Sub(at.x, hn::Set(d, torus.centre.x));
        const DoubleVector y = hn::Sub(at.y, hn::Set(d, torus.centre.y));
        const DoubleVector z = hn::Sub(at.z, hn::Set(d, torus.centre.z));
        const DoubleVector away = hn::Sub(hn::Sqrt(hn::Add(hn::Mul(x, x), hn::Mul(z, z))), ring);
        const DoubleVector distance = hn::Sqrt(hn::Add(hn::Mul(away, away), hn::Mul(y, y)));
        store_distances(hn::Sub(distance, tube), out + i);
    }
    return i;
}

}  // namespace quarry::terrain::impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quarry::terrain::impl {
namespace {

struct ShapeKernels {
    void (*ball)(const BallSquares& squares, double radius, float* out, std::size_t row, std::size_t plane);
    std::size_t (*capsule)(const CapsuleLine& line, std::span<const Position> points, float* out);
    std::size_t (*torus)(const TorusRing& torus, std::span<const Position> points, float* out);
};

// In the order of SimdTarget, as the noise's.
constexpr ShapeKernels kShapeKernels[] = {
    {HWY_CHOOSE_FALLBACK(ball_kernel), HWY_CHOOSE_FALLBACK(capsule_kernel), HWY_CHOOSE_FALLBACK(torus_kernel)},
    {HWY_CHOOSE_SSE4(ball_kernel), HWY_CHOOSE_SSE4(capsule_kernel), HWY_CHOOSE_SSE4(torus_kernel)},
    {HWY_CHOOSE_AVX2(ball_kernel), HWY_CHOOSE_AVX2(capsule_kernel), HWY_CHOOSE_AVX2(torus_kernel)},
    {HWY_CHOOSE_AVX3(ball_kernel), HWY_CHOOSE_AVX3(capsule_kernel), HWY_CHOOSE_AVX3(torus_kernel)},
    {HWY_CHOOSE_NEON(ball_kernel), HWY_CHOOSE_NEON(capsule_kernel), HWY_CHOOSE_NEON(torus_kernel)},
};

const ShapeKernels& shape_kernels() noexcept {
    return kShapeKernels[static_cast<std::size_t>(simd_target())];
}

// Calls the kernel for whole vectors of points, and once more for what is left, filled up with the last point.
template <class Kernel>
void for_all_points(std::span<const Position> points, float* out, const Kernel& kernel) {
    const std::size_t done = kernel(points, out);
    if (done == points.size()) return;
    constexpr std::size_t kMostLanes = 8;
    std::array<Position, kMostLanes> rest;
    std::array<float, kMostLanes> distances;
    for (std::size_t i = 0; i < kMostLanes; ++i) rest[i] = points[std::min(done + i, points.size() - 1)];
    kernel(std::span<const Position>(rest), distances.data());
    std::copy_n(distances.begin(), points.size() - done, out + done);
}

}  // namespace

void distances_from_ball(const BallSquares& squares, double radius, float* out, std::size_t row, std::size_t plane) {
    shape_kernels().ball(squares, radius, out, row, plane);
}

void distances_from_capsule(const CapsuleLine& line, std::span<const Position> points, float* out) {
    for_all_points(points, out,
                   [&](std::span<const Position> some, float* to) { return shape_kernels().capsule(line, some, to); });
}

void distances_from_torus(const TorusRing& torus, std::span<const Position> points, float* out) {
    for_all_points(points, out,
                   [&](std::span<const Position> some, float* to) { return shape_kernels().torus(torus, some, to); });
}

}  // namespace quarry::terrain::impl
#endif
