#include "quarry/terrain/covers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "terrain/angle.hpp"
#include "terrain/noise/sums.hpp"
#include "terrain/options.hpp"

namespace quarry::terrain {
namespace {

// 0 up to 0, 1 from 1 on; what is no number counts as 0.
float smooth_step(double t) noexcept {
    if (!(t > 0)) return 0;
    if (t >= 1) return 1;
    return static_cast<float>(t * t * (3 - 2 * t));
}

// 0 below the middle, 1 from there on, blended.
float rise(double value, double middle, double blend) noexcept {
    if (blend > 0) return smooth_step((value - middle) / blend + 0.5);
    return value >= middle ? 1.0F : 0.0F;
}

float share_in(const CoverRange& range, double value) noexcept {
    return std::min(rise(value, range.from, range.blend), 1 - rise(value, range.to, range.blend));
}

constexpr std::size_t kNearBorder = 256;

// Whether no end of the range, with its blend, lies between two values.
bool is_settled(const CoverRange& range, double low, double high) noexcept {
    const double half = range.blend / 2;
    const auto apart = [&](double end) { return high < end - half || low > end + half; };
    return apart(range.from) && apart(range.to);
}

}  // namespace

Cover::~Cover() = default;

void check(const CoverRange& range) {
    if (!(range.from < range.to)) {
        throw std::invalid_argument("CoverRange.from is " + std::to_string(range.from) + " and CoverRange.to " +
                                    std::to_string(range.to) + "; from must be below to");
    }
    impl::require_range("CoverRange.blend", range.blend, 0, 1e6);
}

HeightCover::HeightCover(const CoverRange& heights, const std::optional<NoiseOptions>& ragged) : heights_(heights) {
    check(heights);
    if (!ragged) return;
    check(*ragged);
    offset_ = ragged->offset;
    sum_ = impl::make_sum(*ragged, false);
    waves_ = ragged->amplitude * 1.001;
}

void HeightCover::shares(std::span<const Position> places, std::span<const Vector3> /*normals*/,
                         std::span<float> out) const {
    if (places.empty()) return;
    // Mostly a chunk lies on one side of the border.
    const auto [lowest, highest] = std::minmax_element(places.begin(), places.end(),
                                                       [](const Position& a, const Position& b) { return a.y < b.y; });
    const double waves = waves_ + 1e-6 * std::max(std::abs(lowest->y - offset_), std::abs(highest->y - offset_));
    if (is_settled(heights_, lowest->y - offset_ - waves, highest->y - offset_ + waves)) {
        std::fill(out.begin(), out.end(), share_in(heights_, lowest->y - offset_));
        return;
    }
    if (sum_.count == 0) {
        for (std::size_t i = 0; i < places.size(); ++i) out[i] = share_in(heights_, places[i].y);
        return;
    }
    // Most places are so high or so low that no wave of the border reaches them: only the others need the noise.
    std::array<Position, kNearBorder> near;
    std::array<std::size_t, kNearBorder> numbers;
    std::array<float, kNearBorder> heights;
    std::size_t count = 0;
    const auto look = [&] {
        impl::sum_densities(sum_, {offset_, 1}, std::span(near).first(count), std::span(heights).first(count));
        for (std::size_t i = 0; i < count; ++i) out[numbers[i]] = share_in(heights_, heights[i]);
        count = 0;
    };
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double height = places[i].y - offset_;
        const double reach = waves_ + 1e-6 * std::abs(height);
        const double low = height - reach;
        const double high = height + reach;
        if (is_settled(heights_, low, high)) {
            out[i] = share_in(heights_, height);
            continue;
        }
        near[count] = places[i];
        numbers[count++] = i;
        if (count == kNearBorder) look();
    }
    if (count > 0) look();
}

SlopeCover::SlopeCover(const CoverRange& degrees) {
    check(degrees);
    impl::require_range("CoverRange.blend of a slope", degrees.blend, 0, 180);
    // An end at flat ground or at the ceiling is none: everything beyond it belongs to the range.
    const double half = degrees.blend / 2;
    if (degrees.from > 0) flat_end_ = edge(degrees.from - half, degrees.from + half);
    if (degrees.to < 180) steep_end_ = edge(degrees.to + half, degrees.to - half);
}

SlopeCover::Edge SlopeCover::edge(double none_degrees, double all_degrees) noexcept {
    const auto height = [](double degrees) {
        return static_cast<float>(impl::cosine_of_degrees(std::clamp(degrees, 0.0, 180.0)));
    };
    return {.is_there = true, .none = height(none_degrees), .all = height(all_degrees)};
}

void SlopeCover::shares(std::span<const Position> /*places*/, std::span<const Vector3> normals,
                        std::span<float> out) const {
    for (std::size_t i = 0; i < normals.size(); ++i) {
        const float y = normals[i].y;
        float share = 1;
        if (flat_end_.is_there) {
            const float width = flat_end_.none - flat_end_.all;
            const bool steep_enough = y <= flat_end_.all;
            share = width > 0 ? smooth_step((flat_end_.none - y) / width) : (steep_enough ? 1.0F : 0.0F);
        }
        if (steep_end_.is_there) {
            const float width = steep_end_.all - steep_end_.none;
            const bool flat_enough = y > steep_end_.all;
            share =
                std::min(share, width > 0 ? smooth_step((y - steep_end_.none) / width) : (flat_enough ? 1.0F : 0.0F));
        }
        out[i] = share;
    }
}

NoiseCover::NoiseCover(const NoiseOptions& noise, const CoverRange& values) : values_(values) {
    check(noise);
    check(values);
    NoiseOptions unit = noise;
    unit.amplitude = 1;
    sum_ = impl::make_sum(unit, false);
}

void NoiseCover::shares(std::span<const Position> places, std::span<const Vector3> /*normals*/,
                        std::span<float> out) const {
    impl::sum_densities(sum_, {.offset = 0, .slope = 0}, places, out);
    for (float& each : out) each = share_in(values_, -each);
}

}  // namespace quarry::terrain
