#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "quarry/terrain/field.hpp"

namespace quarry::terrain::impl {

// For fields that lay another one elsewhere: calls visit(first, moved points) for each batch of the points, move(point)
// being where the other field has it.
template <class Move, class Visit>
void for_moved_points(std::span<const Position> points, Move&& move, Visit&& visit) {
    constexpr std::size_t kAtOnce = 128;
    std::array<Position, kAtOnce> moved;
    for (std::size_t at = 0; at < points.size(); at += kAtOnce) {
        const std::size_t count = std::min(kAtOnce, points.size() - at);
        for (std::size_t i = 0; i < count; ++i) moved[i] = move(points[at + i]);
        visit(at, std::span<const Position>(moved).first(count));
    }
}

}  // namespace quarry::terrain::impl
