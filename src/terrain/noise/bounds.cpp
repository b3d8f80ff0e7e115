#include "terrain/noise/bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "terrain/noise/noise.hpp"

namespace quarry::terrain::impl {
namespace {

// More than all roundings of one octave's noise, in the kernels and here.
constexpr float kRounding = 8e-6F;

float fade(float t) noexcept {
    return t * t * t * (t * (t * 6 - 15) + 10);
}

// The part of one cell that the box covers, along one axis.
struct Span {
    std::int32_t cell;
    float low;
    float high;
};

// The cells that a stretch of one axis lies in; count 0 where there are more than two.
struct AxisSpans {
    std::array<Span, 2> spans;
    int count;
};

AxisSpans axis_spans(double low, double high) noexcept {
    const double first = std::floor(low);
    const double last = std::floor(high);
    if (!(last - first <= 1) || !(first >= kFirstCell) || !(last <= kLastCell)) return {{}, 0};
    const auto cell = static_cast<std::int32_t>(first);
    const auto from = static_cast<float>(low - first);
    const auto to = static_cast<float>(high - last);
    if (last == first) return {{{{cell, from, to}, {}}}, 1};
    return {{{{cell, from, 1}, {cell + 1, 0, to}}}, 2};
}

// The 8 corner functions g . (p - corner) over the part: middle -+ reach. Corners are indexed z * 4 + y * 2 + x.
struct CornerRanges {
    std::array<float, 8> low;
    std::array<float, 8> high;
};

CornerRanges corner_ranges(std::uint32_t seed, const Span& x, const Span& y, const Span& z) noexcept {
    CornerRanges ranges;
    const float mx = (x.low + x.high) / 2;
    const float my = (y.low + y.high) / 2;
    const float mz = (z.low + z.high) / 2;
    const float hx = (x.high - x.low) / 2;
    const float hy = (y.high - y.low) / 2;
    const float hz = (z.high - z.low) / 2;
    for (std::size_t i = 0; i < 8; ++i) {
        const auto dx = static_cast<std::int32_t>(i & 1U);
        const auto dy = static_cast<std::int32_t>((i >> 1) & 1U);
        const auto dz = static_cast<std::int32_t>(i >> 2);
        const LatticeGradient g = lattice_gradient(hash(seed, x.cell + dx, y.cell + dy, z.cell + dz));
        const float middle = g.x * (mx - static_cast<float>(dx)) + g.y * (my - static_cast<float>(dy)) +
                             g.z * (mz - static_cast<float>(dz));
        const float reach = std::abs(g.x) * hx + std::abs(g.y) * hy + std::abs(g.z) * hz;
        ranges.low[i] = middle - reach;
        ranges.high[i] = middle + reach;
    }
    return ranges;
}

using Ends = std::array<float, 2>;

// A blend of constants is linear in each faded coordinate, so its extremes lie at the ends of all three.
std::array<float, 8> blends(const std::array<float, 8>& corners, const Ends& sx, const Ends& sy,
                            const Ends& sz) noexcept {
    std::array<float, 8> in_z;
    for (std::size_t k = 0; k < 2; ++k) {
        for (std::size_t i = 0; i < 4; ++i) in_z[k * 4 + i] = corners[i] + sz[k] * (corners[4 + i] - corners[i]);
    }
    std::array<float, 8> in_y;
    for (std::size_t k = 0; k < 4; ++k) {
        const float* const four = &in_z[k / 2 * 4];
        for (std::size_t i = 0; i < 2; ++i) in_y[k * 2 + i] = four[i] + sy[k % 2] * (four[2 + i] - four[i]);
    }
    std::array<float, 8> in_x;
    for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t i = 0; i < 2; ++i) in_x[k * 2 + i] = in_y[k * 2] + sx[i] * (in_y[k * 2 + 1] - in_y[k * 2]);
    }
    return in_x;
}

Interval cell_bounds(std::uint32_t seed, const Span& x, const Span& y, const Span& z) noexcept {
    const CornerRanges ranges = corner_ranges(seed, x, y, z);
    const Ends sx{fade(x.low), fade(x.high)};
    const Ends sy{fade(y.low), fade(y.high)};
    const Ends sz{fade(z.low), fade(z.high)};
    const std::array<float, 8> lows = blends(ranges.low, sx, sy, sz);
    const std::array<float, 8> highs = blends(ranges.high, sx, sy, sz);
    return {*std::min_element(lows.begin(), lows.end()), *std::max_element(highs.begin(), highs.end())};
}

}  // namespace

Interval octave_bounds(const Octave& octave, const Box& box) noexcept {
    const double f = octave.frequency;
    const AxisSpans x = axis_spans(box.low.x * f, box.high.x * f);
    const AxisSpans y = axis_spans(box.low.y * f, box.high.y * f);
    const AxisSpans z = axis_spans(box.low.z * f, box.high.z * f);
    if (x.count == 0 || y.count == 0 || z.count == 0) return {-kNoiseLimit, kNoiseLimit};
    Interval all{kNoiseLimit, -kNoiseLimit};
    for (int k = 0; k < z.count; ++k) {
        for (int j = 0; j < y.count; ++j) {
            for (int i = 0; i < x.count; ++i) {
                const Interval cell =
                    cell_bounds(octave.seed, x.spans[static_cast<std::size_t>(i)], y.spans[static_cast<std::size_t>(j)],
                                z.spans[static_cast<std::size_t>(k)]);
                all.low = std::min(all.low, cell.low);
                all.high = std::max(all.high, cell.high);
            }
        }
    }
    return {std::max(all.low - kRounding, -kNoiseLimit), std::min(all.high + kRounding, kNoiseLimit)};
}

Interval term_bounds(const NoiseSum& sum, const Octave& octave, Interval noise) noexcept {
    if (sum.ridged) {
        const float most = std::max(-noise.low, noise.high);
        const float least = std::max({noise.low, -noise.high, 0.0F});
        noise = {1 - 2 * most, 1 - 2 * least};
    }
    const float a = octave.weight * noise.low;
    const float b = octave.weight * noise.high;
    return {std::min(a, b), std::max(a, b)};
}

Interval sum_bounds(const NoiseSum& sum, const Box& box, Interval base) noexcept {
    const Interval any{-kNoiseLimit, kNoiseLimit};
    Interval total{0, 0};
    float weights = 0;
    for (int i = 0; i < sum.count; ++i) {
        const Octave& octave = sum.octaves[static_cast<std::size_t>(i)];
        const Interval term = term_bounds(sum, octave, any);
        total.low += term.low;
        total.high += term.high;
        weights += std::abs(octave.weight);
    }
    const auto with_rounding = [&] {
        const float slack = 1e-6F * (std::max(std::abs(base.low), std::abs(base.high)) + 4 * weights);
        return Interval{base.low - total.high - slack, base.high - total.low + slack};
    };
    Interval bounds = with_rounding();
    for (int i = 0; i < sum.count && bounds.may_have_surface(); ++i) {
        const Octave& octave = sum.octaves[static_cast<std::size_t>(i)];
        const Interval widest = term_bounds(sum, octave, any);
        const Interval term = term_bounds(sum, octave, octave_bounds(octave, box));
        total.low += term.low - widest.low;
        total.high += term.high - widest.high;
        bounds = with_rounding();
    }
    return bounds;
}

}  // namespace quarry::terrain::impl
