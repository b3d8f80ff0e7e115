#include <array>
#include <utility>

#include "quarry/terrain/extract.hpp"
#include "terrain/transvoxel/cell_shape.hpp"
#include "terrain/transvoxel/surface.hpp"
#include "terrain/transvoxel/tables.hpp"

namespace quarry::terrain::transvoxel {
namespace {

// A side of a chunk as a plane of samples: rows along the axis u, one after the other along the axis v.
class SidePlane {
  public:
    SidePlane(const ChunkGrid& grid, std::size_t side, const impl::ExtractMemory& memory)
        : grid_(grid), axis(side / 2), u(axis == 0 ? 1 : 0), v(axis == 2 ? 1 : 2), is_high(side % 2 == 1) {
        const std::size_t place = is_high ? grid.cells : 0;
        origin = place * grid.step[axis];
        for (std::size_t j = 0; j < grid.samples; ++j) {
            // A word of memory.signs is a row along x at (y, z), in order of z, then y.
            if (axis == 0) {
                rows[j] = column(memory, place, j);
            } else {
                rows[j] = axis == 1 ? memory.signs[j * grid.samples + place] : memory.signs[place * grid.samples + j];
            }
        }
    }

    // (u, v, inwards) is a mirrored frame for every other side: the triangles of the table have to be turned over.
    bool is_mirrored() const { return is_high != (axis == 1); }

    std::size_t at(std::size_t along_u, std::size_t along_v) const {
        return origin + along_u * grid_.step[u] + along_v * grid_.step[v];
    }

  private:
    std::uint64_t column(const impl::ExtractMemory& memory, std::size_t x, std::size_t z) const {
        const std::uint64_t* const words = memory.signs.data() + z * grid_.samples;
        std::uint64_t bits = 0;
        for (std::size_t y = 0; y < grid_.samples; ++y) bits |= (words[y] >> x & 1) << y;
        return bits;
    }

    const ChunkGrid& grid_;

  public:
    const std::size_t axis;
    const std::size_t u;
    const std::size_t v;
    const bool is_high;
    std::size_t origin = 0;
    std::array<std::uint64_t, kMostCells + 1> rows{};
};

constexpr std::uint64_t kEvenBits = 0x5555555555555555u;

ChunkGrid coarse(const ChunkGrid& grid) {
    return ChunkGrid(grid.cells / 2);
}

class HalfVertices {
  public:
    HalfVertices(const ChunkGrid& grid, impl::ExtractMemory& memory)
        : grid_(grid), half_(coarse(grid)), memory_(memory) {}

    void add(std::size_t side) {
        const SidePlane plane(grid_, side, memory_);
        for (std::size_t j = 0; j < grid_.samples; j += 2) {
            const std::uint64_t here = plane.rows[j] & kEvenBits;
            for_each_bit((here ^ here >> 2) & kEvenBits & low_bits(grid_.cells),
                         [&](std::size_t i) { add_vertex(plane, i, j, plane.u); });
            if (j == grid_.cells) break;
            for_each_bit((here ^ plane.rows[j + 2]) & kEvenBits,
                         [&](std::size_t i) { add_vertex(plane, i, j, plane.v); });
        }
    }

  private:
    void add_vertex(const SidePlane& plane, std::size_t i, std::size_t j, std::size_t along) {
        // An edge where two sides meet is added by the side that comes first.
        const std::size_t across = along == plane.u ? plane.v : plane.u;
        const std::size_t place = along == plane.u ? j : i;
        const bool on_two_sides = place == 0 || place == grid_.cells;
        if (across < plane.axis && on_two_sides) return;
        const std::size_t low = plane.at(i, j);
        const float* const samples = memory_.samples.data();
        const float t = crossing(samples[low], samples[low + 2 * grid_.step[along]]);
        std::array<std::size_t, 3> coordinates{};
        coordinates[plane.axis] = plane.is_high ? half_.cells : 0;
        coordinates[plane.u] = i / 2;
        coordinates[plane.v] = j / 2;
        const auto [x, y, z] = coordinates;
        const auto number = static_cast<std::uint32_t>(memory_.positions.size());
        memory_.half_vertex_on[along * half_.volume + half_.at(x, y, z)] = number;
        if (on_two_sides) {
            memory_.half_on_two_sides.make_room_for(1);
            memory_.half_on_two_sides.append(number);
        }
        const Vector3 at = vertex_at(x, y, z, along, t);
        memory_.positions.make_room_for(1);
        memory_.positions.append({2 * at.x, 2 * at.y, 2 * at.z});
    }

    const ChunkGrid& grid_;
    const ChunkGrid half_;
    impl::ExtractMemory& memory_;
};

class TransitionMesher {
  public:
    TransitionMesher(const ChunkGrid& grid, std::size_t side, impl::ExtractMemory& memory)
        : grid_(grid), half_(coarse(grid)), plane_(grid, side, memory), cases_(tables().transition), memory_(memory) {
        const CellShape& shape = transition_shape();
        for (std::size_t edge = 0; edge < kTransitionEdges; ++edge) {
            const Point from = shape.corners[shape.edges[edge].from];
            const Point to = shape.corners[shape.edges[edge].to];
            const bool is_half = edge >= kFirstHalfResolutionEdge;
            const ChunkGrid& own = is_half ? half_ : grid_;
            const int width = is_half ? 16 : 8;
            const std::size_t axis = from.x != to.x ? plane_.u : plane_.v;
            offsets_[edge] = axis * own.volume + static_cast<std::size_t>(from.x / width) * own.step[plane_.u] +
                             static_cast<std::size_t>(from.y / width) * own.step[plane_.v];
        }
    }

    void mesh() {
        for (std::size_t j = 0; j < grid_.cells; j += 2) {
            const std::array<std::uint64_t, 3> rows{plane_.rows[j], plane_.rows[j + 1], plane_.rows[j + 2]};
            const std::uint64_t some = rows[0] | rows[1] | rows[2];
            const std::uint64_t all = rows[0] & rows[1] & rows[2];
            const std::uint64_t mixed = (some | some >> 1 | some >> 2) & ~(all & all >> 1 & all >> 2);
            for_each_bit(mixed & kEvenBits & low_bits(grid_.cells), [&](std::size_t i) {
                const std::uint64_t inside = (rows[0] >> i & 7) | (rows[1] >> i & 7) << 3 | (rows[2] >> i & 7) << 6;
                add_cell(cases_[inside], i, j);
            });
        }
    }

  private:
    void add_cell(const TransitionCase& entry, std::size_t i, std::size_t j) {
        const std::size_t half_origin = plane_.is_high ? half_.cells * half_.step[plane_.axis] : 0;
        const std::size_t half_at = half_origin + i / 2 * half_.step[plane_.u] + j / 2 * half_.step[plane_.v];
        const std::uint32_t* const full = memory_.full_vertex_on.data() + plane_.at(i, j);
        const std::uint32_t* const half = memory_.half_vertex_on.data() + half_at;
        const auto vertex = [&](std::size_t edge) {
            return edge >= kFirstHalfResolutionEdge ? half[offsets_[edge]] : full[offsets_[edge]];
        };
        memory_.indices.make_room_for(entry.edges.size());
        for (std::size_t t = 0; t < std::size_t{3} * entry.triangle_count; t += 3) {
            std::array<std::uint32_t, 3> corners{vertex(entry.edges[t]), vertex(entry.edges[t + 1]),
                                                 vertex(entry.edges[t + 2])};
            if (plane_.is_mirrored()) std::swap(corners[1], corners[2]);
            for (const std::uint32_t corner : corners) memory_.indices.append(corner);
        }
    }

    const ChunkGrid& grid_;
    const ChunkGrid half_;
    const SidePlane plane_;
    const std::array<TransitionCase, 512>& cases_;
    impl::ExtractMemory& memory_;
    std::array<std::size_t, kTransitionEdges> offsets_{};
};

}  // namespace

void add_half_vertices(const ChunkGrid& grid, impl::ExtractMemory& memory) {
    memory.half_vertex_on.resize(3 * coarse(grid).volume);
    memory.half_on_two_sides.clear();
    HalfVertices vertices(grid, memory);
    for (std::size_t side = 0; side < side::count; ++side) vertices.add(side);
}

void mesh_transition_cells(const ChunkGrid& grid, std::size_t side, impl::ExtractMemory& memory) {
    TransitionMesher(grid, side, memory).mesh();
}

}  // namespace quarry::terrain::transvoxel
