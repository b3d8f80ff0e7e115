#pragma once

#include <optional>

#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain::impl {

// Bounds that a field has found for a box. Meshing asks for those of many parts of a chunk: what holds for the whole
// box holds for them too.
class KnownRange {
  public:
    KnownRange() = default;
    KnownRange(const Box& box, Interval range) noexcept : box_(box), range_(range) {}

    bool is_for(const Box& box) const noexcept { return range_ && box_.low == box.low && box_.high == box.high; }

    // Nothing where the box is not part of the one that is known.
    std::optional<Interval> within(const Box& box) const noexcept {
        const auto covers = [](const Position& low, const Position& high) {
            return low.x <= high.x && low.y <= high.y && low.z <= high.z;
        };
        if (!range_ || !covers(box_.low, box.low) || !covers(box.high, box_.high)) return std::nullopt;
        return range_;
    }

  private:
    Box box_{};
    std::optional<Interval> range_;
};

}  // namespace quarry::terrain::impl
