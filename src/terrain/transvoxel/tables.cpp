#include "terrain/transvoxel/tables.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "terrain/transvoxel/cell_shape.hpp"
#include "terrain/transvoxel/triangulation.hpp"

namespace quarry::terrain::transvoxel {
namespace {

template <std::size_t Most>
void append(Case<Most>& entry, const Triangles& triangles) {
    const std::size_t used = std::size_t{3} * entry.triangle_count;
    if (used + triangles.size() > entry.edges.size()) {
        throw std::logic_error("a Transvoxel case has more triangles than its table has room for");
    }
    std::copy(triangles.begin(), triangles.end(), entry.edges.begin() + static_cast<std::ptrdiff_t>(used));
    entry.triangle_count = static_cast<std::uint8_t>(entry.triangle_count + triangles.size() / 3);
}

template <std::size_t Most, std::size_t Cases>
void fill(const CellShape& shape, std::array<Case<Most>, Cases>& cases) {
    for (std::size_t inside = 0; inside < Cases; ++inside) {
        for (const Loop& loop : find_loops(shape, static_cast<std::uint32_t>(inside))) {
            append(cases[inside], fill_disc(shape, loop));
        }
    }
}

Tables make_tables() {
    Tables made;
    fill(regular_shape(), made.regular);
    fill(transition_shape(), made.transition);
    std::vector<Loop> ring = find_loops(transition_shape(), kRingCase);
    std::sort(ring.begin(), ring.end(), [](const Loop& a, const Loop& b) { return a.size() > b.size(); });
    made.transition[kRingCase] = {};
    append(made.transition[kRingCase], fill_ring(transition_shape(), ring.at(0), ring.at(1)));
    return made;
}

}  // namespace

const Tables& tables() {
    static const Tables made = make_tables();
    return made;
}

}  // namespace quarry::terrain::transvoxel
