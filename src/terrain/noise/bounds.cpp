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
    std::uint32_t cell;
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
    if (!(last - first <= 1) || !(first >= -kMostCellsFromZero) || !(last <= kMostCellsFromZero)) return {{}, 0};
    const std::uint32_t cell = cell_number(first);
    const auto from = static_cast<float>(low - first);
    const auto to = static_cast<float>(high - last);
    if (last == first) return {{{{cell, from, to}, {}}}, 1};
    return {{{{cell, from, 1}, {cell + 1, 0, to}}}, 2};
}

// A corner's function g . (p - corner): its value in the middle of the part, and g. Four floats, so that a blend of all
// is a few vector operations.
struct alignas(16) Corner {
    std::array<float, 4> parts;
};

// Indexed z * 4 + y * 2 + x.
using Corners = std::array<Corner, 8>;

Corner lerp(float t, const Corner& from, const Corner& to) noexcept {
    Corner result;
    for (std::size_t i = 0; i < 4; ++i) result.parts[i] = from.parts[i] + t * (to.parts[i] - from.parts[i]);
    return result;
}

Corners corners_around(std::uint32_t seed, const Span& x, const Span& y, const Span& z) noexcept {
    Corners corners;
    const float mx = (x.low + x.high) / 2;
    const float my = (y.low + y.high) / 2;
    const float mz = (z.low + z.high) / 2;
    for (std::size_t i = 0; i < 8; ++i) {
        const auto dx = static_cast<std::uint32_t>(i & 1U);
        const auto dy = static_cast<std::uint32_t>((i >> 1) & 1U);
        const auto dz = static_cast<std::uint32_t>(i >> 2);
        const LatticeGradient g = lattice_gradient(hash(seed, x.cell + dx, y.cell + dy, z.cell + dz));
        const float middle = g.x * (mx - static_cast<float>(dx)) + g.y * (my - static_cast<float>(dy)) +
                             g.z * (mz - static_cast<float>(dz));
        corners[i] = {{middle, g.x, g.y, g.z}};
    }
    return corners;
}

using Ends = std::array<float, 2>;

// The blends at all combinations of the ends of the three faded coordinates.
Corners blends(const Corners& corners, const Ends& sx, const Ends& sy, const Ends& sz) noexcept {
    Corners in_z;
    for (std::size_t k = 0; k < 2; ++k) {
        for (std::size_t i = 0; i < 4; ++i) in_z[k * 4 + i] = lerp(sz[k], corners[i], corners[4 + i]);
    }
    Corners in_y;
    for (std::size_t k = 0; k < 4; ++k) {
        const Corner* const four = &in_z[k / 2 * 4];
        for (std::size_t i = 0; i < 2; ++i) in_y[k * 2 + i] = lerp(sy[k % 2], four[i], four[2 + i]);
    }
    Corners in_x;
    for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t i = 0; i < 2; ++i) in_x[k * 2 + i] = lerp(sx[i], in_y[k * 2], in_y[k * 2 + 1]);
    }
    return in_x;
}

// With m the middle of the part, the noise at p is blend(values at m) + (p - m) . blend(gradients). A blend of
// constants is linear in each faded coordinate, so its extremes lie at the ends of all three.
Interval cell_bounds(std::uint32_t seed, const Span& x, const Span& y, const Span& z) noexcept {
    const Corners ends = blends(corners_around(seed, x, y, z), {fade(x.low), fade(x.high)}, {fade(y.low), fade(y.high)},
                                {fade(z.low), fade(z.high)});
    Corner low = ends[0];
    Corner high = ends[0];
    for (const Corner& end : ends) {
        for (std::size_t i = 0; i < 4; ++i) {
            low.parts[i] = std::min(low.parts[i], end.parts[i]);
            high.parts[i] = std::max(high.parts[i], end.parts[i]);
        }
    }
    const std::array<float, 3> half{(x.high - x.low) / 2, (y.high - y.low) / 2, (z.high - z.low) / 2};
    float reach = 0;
    for (std::size_t i = 0; i < 3; ++i) reach += half[i] * std::max(-low.parts[i + 1], high.parts[i + 1]);
    return {low.parts[0] - reach, high.parts[0] + reach};
}

Interval hull(Interval a, Interval b) noexcept {
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// Around a surface, 0 lies well within the bounds. Near their end it may be there only because they are wide.
bool is_doubtful(Interval bounds) noexcept {
    const float end = 0.2F * (bounds.high - bounds.low);
    return -bounds.low < end || bounds.high < end;
}

Interval part_bounds(const NoiseSum& sum, const Box& box, const Base& base) noexcept {
    return sum_bounds(sum, box, {base.at(box.low.y), base.at(box.high.y)}, BoundsFor::surface);
}

// The box whole or, where that leaves a doubt, in four columns.
Interval column_bounds(const NoiseSum& sum, const Box& box, const Base& base) noexcept {
    const Interval whole = part_bounds(sum, box, base);
    if (!whole.may_have_surface()) return whole;
    const double x[3] = {box.low.x, (box.low.x + box.high.x) / 2, box.high.x};
    const double z[3] = {box.low.z, (box.low.z + box.high.z) / 2, box.high.z};
    Interval all{};
    for (int i = 0; i < 4; ++i) {
        const Box column{{x[i & 1], box.low.y, z[i >> 1]}, {x[(i & 1) + 1], box.high.y, z[(i >> 1) + 1]}};
        const Interval bounds = part_bounds(sum, column, base);
        if (bounds.may_have_surface()) return whole;
        all = i == 0 ? bounds : hull(all, bounds);
    }
    return all;
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

Interval sum_bounds(const NoiseSum& sum, const Box& box, Interval base, BoundsFor purpose) noexcept {
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
    const float slack = 1e-6F * (std::max(std::abs(base.low), std::abs(base.high)) + 4 * weights);
    float unknown = total.high - total.low;  // how much narrower the octaves that were not looked at may be
    Interval bounds{base.low - total.high - slack, base.high - total.low + slack};
    for (int i = 0; i < sum.count; ++i) {
        if (purpose == BoundsFor::surface) {
            const bool stays_in_doubt = bounds.low + unknown < 0 && bounds.high - unknown >= 0;
            if (!bounds.may_have_surface() || stays_in_doubt) break;
        }
        const Octave& octave = sum.octaves[static_cast<std::size_t>(i)];
        const Interval widest = term_bounds(sum, octave, any);
        const Interval term = term_bounds(sum, octave, octave_bounds(octave, box));
        total.low += term.low - widest.low;
        total.high += term.high - widest.high;
        unknown -= widest.high - widest.low;
        bounds = {base.low - total.high - slack, base.high - total.low + slack};
    }
    return bounds;
}

Interval density_bounds(const NoiseSum& sum, const Box& box, const Base& base) noexcept {
    const Interval whole = part_bounds(sum, box, base);
    if (!whole.may_have_surface() || !is_doubtful(whole)) return whole;
    const double middle = (box.low.y + box.high.y) / 2;
    const Box lower{box.low, {box.high.x, middle, box.high.z}};
    const Box upper{{box.low.x, middle, box.low.z}, box.high};
    // In the air the ground is nearer to the lower half, and in the ground the air to the upper one.
    const bool in_air = -whole.low < whole.high;
    const Interval near = column_bounds(sum, in_air ? lower : upper, base);
    if (near.may_have_surface()) return whole;
    return hull(near, column_bounds(sum, in_air ? upper : lower, base));
}

}  // namespace quarry::terrain::impl
