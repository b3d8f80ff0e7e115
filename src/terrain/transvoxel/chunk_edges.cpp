#include "terrain/transvoxel/chunk_edges.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "quarry/terrain/extract.hpp"

namespace quarry::terrain::transvoxel {
namespace {

// An edge of some level by its lower end, in units of that level.
struct LineEdge {
    std::array<std::int32_t, 3> low;
    std::size_t axis;
    std::int32_t level;

    bool is_upper_half() const noexcept { return (low[axis] & 1) != 0; }
};

// The vertices of these levels do not look at the next one, so that no place depends on samples beyond a chunk.
constexpr bool ends_a_chain(std::int32_t level) noexcept {
    return level == 5 || level > kCoarsestLod;
}

// Whether a seam to the next level may run along the edge's line: chunks meet there, and not only the eight of one
// coarser chunk.
constexpr bool may_be_on_seam(const LineEdge& edge) noexcept {
    constexpr auto kCells = static_cast<std::int32_t>(kSettledCells);
    const std::int32_t p = edge.low[edge.axis == 0 ? 1 : 0];
    const std::int32_t q = edge.low[edge.axis == 2 ? 1 : 2];
    return ((p | q) & (kCells - 1)) == 0 && (p & q & kCells) == 0;
}

// Multiples of 2^-7 of the finest edge, so that they are multiples of 2^-14 at the coarsest level, too, as all
// vertices.
constexpr float kUnits = 128;
constexpr float kNearest = 3 / kUnits;
static_assert(kNearest >= kNearestToEnds);

constexpr float off_the_ends(float along) noexcept {
    return std::clamp(along, kNearest, 1 - kNearest);
}

constexpr float in_coarser(float along, bool is_upper_half) noexcept {
    return off_the_ends((along + (is_upper_half ? 1.0f : 0.0f)) / 2);
}

// Where finer chunks meet in the middle of a side.
constexpr float kMiddle = 16;
static_assert(2 * kMiddle == kSettledCells);

class Settling {
  public:
    Settling(const ChunkGrid& grid, const SampleBlock& block, impl::ExtractMemory& memory)
        : grid_(grid),
          block_(block),
          lod_(std::countr_zero(static_cast<std::uint32_t>(block.step))),
          origin_{block.first.x >> lod_, block.first.y >> lod_, block.first.z >> lod_},
          memory_(memory) {}

    // Edges are cut in halves all at once, so that the field is asked for many samples at a time.
    void settle_own(const Field& field) {
        auto& points = memory_.points;
        auto& middles = memory_.outside;
        const auto& vertices = memory_.settled;
        memory_.settling.clear();
        for (const auto& vertex : vertices) {
            const LineEdge edge = edge_of(vertex.number);
            memory_.settling.push_back({edge.low, edge.axis, sample(edge.low), sample(end_of(edge)), 0});
        }
        for (std::int32_t level = lod_ - 1; level >= 0; --level) {
            points.clear();
            for (auto& each : memory_.settling) {
                for (std::int32_t& along : each.low) along *= 2;
                ++each.low[each.axis];
                points.push_back(block_.lattice.at({each.low[0] << level, each.low[1] << level, each.low[2] << level}));
            }
            middles.resize(points.size());
            if (!points.empty()) field.densities(points, middles);
            for (std::size_t i = 0; i < middles.size(); ++i) memory_.settling[i].cut(middles[i]);
        }
        for (std::size_t i = 0; i < vertices.size(); ++i) settle_own(vertices[i].number, i);
    }

    // Each lies where the chunk's own vertex on one of the two halves of its edge does, but for what differs between
    // the levels.
    void settle_half(std::uint32_t number) const {
        float* const at = &memory_.positions[number].x;
        LineEdge half{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            half.low[axis] = 2 * static_cast<std::int32_t>(at[axis] / 2);
            if (static_cast<float>(half.low[axis]) != at[axis]) half.axis = axis;
        }
        const std::size_t low = grid_.at(static_cast<std::size_t>(half.low[0]), static_cast<std::size_t>(half.low[1]),
                                         static_cast<std::size_t>(half.low[2]));
        const std::size_t middle = low + grid_.step[half.axis];
        const bool is_upper = (memory_.samples[low] < 0) == (memory_.samples[middle] < 0);
        const std::uint32_t own = memory_.full_vertex_on[half.axis * grid_.volume + (is_upper ? middle : low)];
        const auto settled = std::find_if(memory_.settled.begin(), memory_.settled.end(),
                                          [&](const auto& each) { return each.number == own; });
        const float first = at[half.axis] = static_cast<float>(half.low[half.axis]);
        LineEdge edge = half;
        for (std::size_t axis = 0; axis < 3; ++axis) edge.low[axis] = (half.low[axis] + origin_[axis]) >> 1;
        edge.level = lod_ + 1;
        at[half.axis] = first + 2 * beside_coarser(edge, in_coarser(settled->finest, is_upper));
    }

  private:
    LineEdge edge_of(std::uint32_t number) const {
        const float* const at = &memory_.positions[number].x;
        LineEdge edge{origin_, 0, lod_};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto low = static_cast<std::int32_t>(at[axis]);
            if (static_cast<float>(low) != at[axis]) edge.axis = axis;
            edge.low[axis] += low;
        }
        return edge;
    }

    static std::array<std::int32_t, 3> end_of(const LineEdge& edge) noexcept {
        std::array<std::int32_t, 3> end = edge.low;
        ++end[edge.axis];
        return end;
    }

    // Of the chunk, in units of its level.
    float sample(const std::array<std::int32_t, 3>& at) const {
        return memory_.samples[grid_.at(static_cast<std::size_t>(at[0] - origin_[0]),
                                        static_cast<std::size_t>(at[1] - origin_[1]),
                                        static_cast<std::size_t>(at[2] - origin_[2]))];
    }

    // Away from the surface samples have nothing but their sign.
    bool is_crossed(const LineEdge& edge) const {
        const auto is_inside = [&](const std::array<std::int32_t, 3>& at) {
            const std::int32_t shift = edge.level - lod_;
            return sample({at[0] << shift, at[1] << shift, at[2] << shift}) < 0;
        };
        return is_inside(edge.low) != is_inside(end_of(edge));
    }

    // How far along its edge of this level the vertex lies that the finest level has.
    void settle_own(std::uint32_t number, std::size_t place) {
        const impl::SettlingEdge& finest = memory_.settling[place];
        float along = off_the_ends(std::floor(crossing(finest.first, finest.second) * kUnits + 0.5f) / kUnits);
        for (std::int32_t level = 0; level < lod_; ++level) along = in_coarser(along, (finest.path >> level & 1) != 0);
        memory_.settled[place].finest = along;
        const LineEdge edge = edge_of(number);
        (&memory_.positions[number].x)[edge.axis] =
            static_cast<float>(edge.low[edge.axis] - origin_[edge.axis]) + beside_coarser(edge, along);
    }

    // Where a vertex lies that the finest level would have at `own`.
    float beside_coarser(const LineEdge& edge, float own) const {
        if (ends_a_chain(edge.level) || !may_be_on_seam(edge)) return own;
        const bool is_upper = edge.is_upper_half();
        const float in_coarse = in_coarser(own, is_upper);
        // Further from its ends the coarser edge has its vertex in the same place.
        if (std::min(in_coarse, 1 - in_coarse) > kNearest + kFarthestSettled) return own;
        const LineEdge coarse{{edge.low[0] >> 1, edge.low[1] >> 1, edge.low[2] >> 1}, edge.axis, edge.level + 1};
        if (!is_crossed(coarse)) return own;
        return beside(own, 2 * beside_coarser(coarse, in_coarse) - (is_upper ? 1.0f : 0.0f));
    }

    static float beside(float own, float theirs) noexcept {
        if (std::abs(own - theirs) <= kFarthestSettled && off_the_ends(theirs) == theirs) return theirs;
        if (std::abs(own - theirs) >= kLeastApart) return own;
        return theirs > 0.5f ? theirs - kLeastApart : theirs + kLeastApart;
    }

    const ChunkGrid& grid_;
    const SampleBlock& block_;
    const std::int32_t lod_;
    const std::array<std::int32_t, 3> origin_;  // of the chunk, in units of its level
    impl::ExtractMemory& memory_;
};

}  // namespace

void settle_own_vertices(const ChunkGrid& grid, const SampleBlock& block, const Field& field,
                         impl::ExtractMemory& memory) {
    memory.settled.clear();
    if (grid.cells != kSettledCells) return;
    for (const std::uint32_t number : memory.on_sides[impl::kOnTwoSides]) memory.settled.push_back({number, 0});
    // At level 0 there is nothing finer to meet.
    for (std::size_t group = 0; block.step > 1 && group < impl::kOnTwoSides; ++group) {
        const std::size_t along = group / side::count, beside = group % side::count / 2;
        const std::size_t across = 3 - along - beside;
        for (const std::uint32_t number : memory.on_sides[group]) {
            if ((&memory.positions[number].x)[across] == kMiddle) memory.settled.push_back({number, 0});
        }
    }
    Settling(grid, block, memory).settle_own(field);
}

void settle_half_vertices(const ChunkGrid& grid, const SampleBlock& block, impl::ExtractMemory& memory) {
    if (grid.cells != kSettledCells) return;
    const Settling settling(grid, block, memory);
    for (const std::uint32_t number : memory.half_on_two_sides) settling.settle_half(number);
}

}  // namespace quarry::terrain::transvoxel
