#include "quarry/terrain/heightmap.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace quarry::terrain {
namespace {

// A range is put together from at most this many blocks along each axis, and one more where they do not begin with it.
constexpr std::int32_t kMostBlocks = 4;

using Range = Heightmap::Range;
using Level = Heightmap::Level;

void include(Range& range, const Range& other) noexcept {
    range.low = std::min(range.low, other.low);
    range.high = std::max(range.high, other.high);
}

Range range_at(const Level& level, std::size_t index) noexcept {
    if (level.ranges.empty()) return {level.values[index], level.values[index]};
    return level.ranges[index];
}

// Pixels beyond the last row or column count as those on it, as the field continues there.
Level reduced(const Level& from) {
    Level to;
    to.width = (from.width + 1) / 2;
    to.height = (from.height + 1) / 2;
    const std::size_t size = static_cast<std::size_t>(to.width) * static_cast<std::size_t>(to.height);
    to.values.resize(size);
    to.ranges.resize(size);
    for (std::int32_t z = 0; z < to.height; ++z) {
        const std::int32_t next_z = std::min(2 * z + 1, from.height - 1);
        for (std::int32_t x = 0; x < to.width; ++x) {
            const std::int32_t next_x = std::min(2 * x + 1, from.width - 1);
            const std::size_t first = from.index(2 * x, 2 * z);
            std::uint32_t sum = 2;
            Range range = range_at(from, first);
            for (const std::size_t at :
                 {first, from.index(next_x, 2 * z), from.index(2 * x, next_z), from.index(next_x, next_z)}) {
                sum += from.values[at];
                include(range, range_at(from, at));
            }
            to.values[to.index(x, z)] = static_cast<std::uint16_t>(sum / 4);
            to.ranges[to.index(x, z)] = range;
        }
    }
    return to;
}

}  // namespace

Heightmap::Heightmap(std::int32_t width, std::int32_t height, std::vector<std::uint16_t> values) {
    if (width < 1 || height < 1 || width > kMostHeightmapSide || height > kMostHeightmapSide) {
        throw std::invalid_argument("Heightmap is " + std::to_string(width) + " x " + std::to_string(height) +
                                    "; 1 to " + std::to_string(kMostHeightmapSide) + " pixels a side are allowed");
    }
    const std::size_t size = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    if (size > kMostHeightmapPixels || size != values.size()) {
        throw std::invalid_argument("Heightmap of " + std::to_string(width) + " x " + std::to_string(height) +
                                    " pixels has " + std::to_string(values.size()) + " values; one each, and at most " +
                                    std::to_string(kMostHeightmapPixels) + ", are allowed");
    }
    levels_.push_back({width, height, std::move(values), {}});
    while (levels_.back().width > 1 || levels_.back().height > 1) levels_.push_back(reduced(levels_.back()));
}

Heightmap::Range Heightmap::range(std::int32_t x0, std::int32_t z0, std::int32_t x1, std::int32_t z1) const noexcept {
    std::size_t number = 0;
    while (std::max(x1 - x0, z1 - z0) >> number >= kMostBlocks) ++number;
    // There is such a level: the last one, a single pixel, spans everything.
    const Level& level = levels_[number];
    Range range = range_at(level, level.index(x0 >> number, z0 >> number));
    for (std::int32_t z = z0 >> number; z <= z1 >> number; ++z) {
        for (std::int32_t x = x0 >> number; x <= x1 >> number; ++x) include(range, range_at(level, level.index(x, z)));
    }
    return range;
}

}  // namespace quarry::terrain
