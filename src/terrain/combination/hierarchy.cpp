#include "terrain/combination/hierarchy.hpp"

#include <algorithm>

#include "terrain/rounding.hpp"

namespace quarry::terrain::impl {
namespace {

constexpr std::size_t kEntriesInLeaf = 4;

double along(const Position& at, int axis) noexcept {
    return axis == 0 ? at.x : axis == 1 ? at.y : at.z;
}

}  // namespace

Hierarchy::Hierarchy(std::vector<Entry> entries) : entries_(std::move(entries)) {
    if (entries_.empty()) return;
    nodes_.reserve(entries_.size());
    build(0, entries_.size());
}

// Halves along the longest axis, so that the depth of this recursion is the logarithm of the number of entries.
void Hierarchy::build(std::size_t first, std::size_t count) {
    const std::size_t at = nodes_.size();
    nodes_.emplace_back();
    Box all = entries_[first].extent;
    for (std::size_t i = first + 1; i < first + count; ++i) all = hull_of(all, entries_[i].extent);
    nodes_[at].extent = all;
    if (count <= kEntriesInLeaf) {
        nodes_[at].first = static_cast<std::uint32_t>(first);
        nodes_[at].entries = static_cast<std::uint32_t>(count);
        return;
    }
    const Position size{all.high.x - all.low.x, all.high.y - all.low.y, all.high.z - all.low.z};
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(first);
    std::nth_element(begin, begin + static_cast<std::ptrdiff_t>(count / 2), begin + static_cast<std::ptrdiff_t>(count),
                     [&](const Entry& a, const Entry& b) {
                         const double in_a = along(centre_of(a.extent), axis);
                         const double in_b = along(centre_of(b.extent), axis);
                         return in_a != in_b ? in_a < in_b : a.part < b.part;
                     });
    build(first, count / 2);
    nodes_[at].first = static_cast<std::uint32_t>(nodes_.size());
    build(first + count / 2, count - count / 2);
}

}  // namespace quarry::terrain::impl
