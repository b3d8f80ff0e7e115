#include "terrain/store/loader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace quarry::terrain::store {
namespace {

// A piece is adopted within a frame: 512 bricks take some 0.2 ms.
constexpr std::size_t kBricksAtOnce = 512;
constexpr std::size_t kCellsAtOnce = 64;

// Squared, in voxels, from a place to the nearest point of the cell.
double distance(const CellKey& cell, const Position& place, const Lattice& lattice) noexcept {
    const edits::LatticeBox box = box_of_cell(cell);
    const auto along = [&](double at, double origin, std::int32_t low, std::int32_t high) {
        const double point = (at - origin) / lattice.voxel_size;
        const double away = std::max({low - point, point - high, 0.0});
        return away * away;
    };
    return along(place.x, lattice.origin.x, box.low.x, box.high.x) +
           along(place.y, lattice.origin.y, box.low.y, box.high.y) +
           along(place.z, lattice.origin.z, box.low.z, box.high.z);
}

}  // namespace

void Loader::bring_nearest_to_the_end(std::span<const Position> near, std::size_t count) {
    std::vector<std::pair<double, CellKey>> order;
    order.reserve(left_.size());
    for (const CellKey& cell : left_) {
        double nearest = near.empty() ? 0 : std::numeric_limits<double>::infinity();
        for (const Position& place : near) nearest = std::min(nearest, distance(cell, place, lattice_));
        order.emplace_back(nearest, cell);
    }
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
    std::partial_sort(order.begin(), middle, order.end());
    for (std::size_t i = 0; i < order.size(); ++i) left_[order.size() - 1 - i] = order[i].second;
}

Piece Loader::next(std::span<const Position> near) {
    if (!is_listed_) {
        left_ = reader_.cells();
        is_listed_ = true;
    }
    bring_nearest_to_the_end(near, kCellsAtOnce);
    Piece piece;
    while (!left_.empty() && piece.cells.size() < kCellsAtOnce && piece.bricks.size() < kBricksAtOnce) {
        reader_.read(left_.back(), piece.bricks);
        piece.cells.push_back(left_.back());
        left_.pop_back();
    }
    piece.is_last = left_.empty();
    return piece;
}

}  // namespace quarry::terrain::store
