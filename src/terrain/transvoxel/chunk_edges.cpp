#include "terrain/transvoxel/chunk_edges.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "quarry/terrain/extract.hpp"

namespace quarry::terrain::transvoxel {
namespace {

// An edge of some level by its lower end, in units of that level, and the densities at its ends.
struct LineEdge {
    std::array<std::int32_t, 3> low;
    std::size_t axis;
    std::int32_t level;
    float first;
    float second;

    bool is_crossed() const noexcept { return (first < 0) != (second < 0); }
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

// Multiples of 2^-7 of the finest edge, so that they are multiples of 2^-14 at the coarsest level, too, as all vertices.
constexpr float kUnits = 128;
constexpr float kNearest = 3 / kUnits;
static_assert(kNearest >= kNearestToEnds);

constexpr float off_the_ends(float along) noexcept {
    return std::clamp(along, kNearest, 1 - kNearest);
}

class Settling {
  public:
    Settling(const ChunkGrid& grid, const SampleBlock& block, const Field& field, std::size_t level_step,
             impl::ExtractMemory& memory)
        : grid_(grid),
          block_(block),
          field_(field),
          level_step_(level_step),
          level_(std::countr_zero(static_cast<std::uint32_t>(block.step)) + (level_step == 1 ? 0 : 1)),
          memory_(memory) {}

    void settle(std::uint32_t number) const {
        float* const at = &memory_.positions[number].x;
        const auto scale = static_cast<float>(level_step_);
        const std::array<std::int32_t, 3> origin{block_.first.x >> level_, block_.first.y >> level_,
                                                 block_.first.z >> level_};
        LineEdge edge{origin, 0, level_, 0, 0};
        std::array<std::int32_t, 3> low{};
        std::size_t place = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const float local = at[axis] / scale;
            low[axis] = static_cast<std::int32_t>(local);
            if (static_cast<float>(low[axis]) != local) edge.axis = axis;
            edge.low[axis] += low[axis];
            place += static_cast<std::size_t>(low[axis]) * level_step_ * grid_.step[axis];
        }
        edge.first = memory_.samples[place];
        edge.second = memory_.samples[place + level_step_ * grid_.step[edge.axis]];
        const float along = beside_coarser(edge, on_finest(edge));
        at[edge.axis] = (static_cast<float>(low[edge.axis]) + along) * scale;
    }

  private:
    // How far along the edge the finest level has its vertex, off the lattice points of all levels up to this one.
    float on_finest(const LineEdge& edge) const {
        if (edge.level == 0) return off_the_ends(std::floor(crossing(edge.first, edge.second) * kUnits + 0.5f) / kUnits);
        LineEdge half{{2 * edge.low[0], 2 * edge.low[1], 2 * edge.low[2]}, edge.axis, edge.level - 1, edge.first, 0};
        std::array<std::int32_t, 3> middle = half.low;
        ++middle[edge.axis];
        half.second = density(middle, half.level);
        const bool is_upper = !half.is_crossed();
        if (is_upper) {
            half.low = middle;
            half.first = half.second;
            half.second = edge.second;
        }
        return off_the_ends((on_finest(half) + (is_upper ? 1.0f : 0.0f)) / 2);
    }

    // Where it lies when the finest level would have it at `own`.
    float beside_coarser(const LineEdge& edge, float own) const {
        if (ends_a_chain(edge.level) || !may_be_on_seam(edge)) return own;
        const bool is_upper = (edge.low[edge.axis] & 1) != 0;
        const float in_coarse = (own + (is_upper ? 1.0f : 0.0f)) / 2;
        // Further from its ends the coarser edge has its vertex in the same place.
        if (std::min(in_coarse, 1 - in_coarse) > kNearest + kFarthestSettled) return own;
        std::array<std::int32_t, 3> other = edge.low;
        other[edge.axis] += is_upper ? -1 : 2;
        const float beyond = density(other, edge.level);
        const LineEdge coarse{{edge.low[0] >> 1, edge.low[1] >> 1, edge.low[2] >> 1},
                              edge.axis,
                              edge.level + 1,
                              is_upper ? beyond : edge.first,
                              is_upper ? edge.second : beyond};
        if (!coarse.is_crossed()) return own;
        return beside(own, 2 * beside_coarser(coarse, off_the_ends(in_coarse)) - (is_upper ? 1.0f : 0.0f));
    }

    static float beside(float own, float theirs) noexcept {
        if (std::abs(own - theirs) <= kFarthestSettled && off_the_ends(theirs) == theirs) return theirs;
        if (std::abs(own - theirs) >= kLeastApart) return own;
        return theirs > 0.5f ? theirs - kLeastApart : theirs + kLeastApart;
    }

    float density(const std::array<std::int32_t, 3>& at, std::int32_t level) const {
        return field_.density_at(block_.lattice.at({at[0] << level, at[1] << level, at[2] << level}));
    }

    const ChunkGrid& grid_;
    const SampleBlock& block_;
    const Field& field_;
    const std::size_t level_step_;
    const std::int32_t level_;
    impl::ExtractMemory& memory_;
};

}  // namespace

void settle_own_vertices(const ChunkGrid& grid, const SampleBlock& block, const Field& field,
                         impl::ExtractMemory& memory) {
    if (grid.cells != kSettledCells) return;
    const Settling settling(grid, block, field, 1, memory);
    for (const std::uint32_t number : memory.on_sides[impl::kOnTwoSides]) settling.settle(number);
    // There is nothing finer to meet.
    if (block.step == 1) return;
    for (std::size_t group = 0; group < impl::kOnTwoSides; ++group) {
        const std::size_t along = group / side::count, beside = group % side::count / 2;
        const std::size_t across = 3 - along - beside;
        for (const std::uint32_t number : memory.on_sides[group]) {
            if ((&memory.positions[number].x)[across] == kSettledCells / 2) settling.settle(number);
        }
    }
}

void settle_half_vertices(const ChunkGrid& grid, const SampleBlock& block, const Field& field,
                          impl::ExtractMemory& memory) {
    if (grid.cells != kSettledCells) return;
    const Settling settling(grid, block, field, 2, memory);
    for (const std::uint32_t number : memory.half_on_two_sides) settling.settle(number);
}

}  // namespace quarry::terrain::transvoxel
