#pragma once

#include <algorithm>
#include <cmath>

#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain::impl {

// Minimum, rounded off where the two differ by less than blend. Grows with both, and never by more than either.
inline float smooth_minimum(float a, float b, float blend) noexcept {
    const float least = std::min(a, b);
    const float overlap = blend - std::abs(a - b);
    if (!(overlap > 0)) return least;
    return least - overlap * overlap / (4 * blend);
}

inline Interval signed_interval(float sign, Interval interval) noexcept {
    return sign > 0 ? interval : Interval{-interval.high, -interval.low};
}

// How a part joins what has been combined so far: out * smooth_minimum(sum * so_far, part * density). All combinations
// are a smooth minimum: intersections of the negated fields, subtractions with only the first negated.
struct Join {
    float out = 1;
    float sum = 1;
    float part = 1;
    float blend = 0;

    float operator()(float so_far, float density) const noexcept {
        return out * smooth_minimum(sum * so_far, part * density, blend);
    }

    // Whether one part after the other can only lower sum * so_far, so that they make up a run.
    bool goes_on() const noexcept { return out * sum > 0; }

    friend bool operator==(const Join&, const Join&) = default;
};

}  // namespace quarry::terrain::impl
