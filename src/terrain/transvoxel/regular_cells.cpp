#include <array>

#include "terrain/transvoxel/cell_shape.hpp"
#include "terrain/transvoxel/surface.hpp"
#include "terrain/transvoxel/tables.hpp"

namespace quarry::terrain::transvoxel {
namespace {

class RegularMesher {
  public:
    RegularMesher(const ChunkGrid& grid, impl::ExtractMemory& memory)
        : grid_(grid), memory_(memory), cases_(tables().regular) {
        // Edge 4 a + i begins at the corner that has i's bits on the two axes other than a.
        for (std::size_t edge = 0; edge < kRegularEdges; ++edge) {
            const std::size_t axis = edge / 4;
            const std::size_t first_other = axis == 0 ? 1 : 0;
            const std::size_t second_other = axis == 2 ? 1 : 2;
            offsets_[edge] =
                axis * grid.volume + (edge & 1) * grid.step[first_other] + (edge >> 1 & 1) * grid.step[second_other];
        }
    }

    void mesh() {
        memory_.full_vertex_on.resize(3 * grid_.volume);
        for (auto& numbers : memory_.on_sides) numbers.clear();
        for (std::size_t z = 0; z < grid_.samples; ++z) {
            add_vertices(z);
            if (z > 0) add_triangles(z - 1);
            if (z < grid_.cells) add_vertices_above(z);
        }
    }

  private:
    static constexpr std::size_t kNoSide = side::count;
    static constexpr std::size_t kOnTwo = side::count + 1;

    std::uint64_t row(std::size_t y, std::size_t z) const { return memory_.signs[z * grid_.samples + y]; }

    // The vertices on edges along x and y in one layer of samples.
    void add_vertices(std::size_t z) {
        for (std::size_t y = 0; y < grid_.samples; ++y) {
            const std::uint64_t here = row(y, z);
            add_row<0>((here ^ here >> 1) & low_bits(grid_.cells), y, z);
            if (y < grid_.cells) add_row<1>(here ^ row(y + 1, z), y, z);
        }
    }

    void add_vertices_above(std::size_t z) {
        for (std::size_t y = 0; y < grid_.samples; ++y) add_row<2>(row(y, z) ^ row(y, z + 1), y, z);
    }

    template <std::size_t Axis>
    void add_row(std::uint64_t crossed, std::size_t y, std::size_t z) {
        if (crossed == 0) return;
        const std::size_t first = grid_.at(0, y, z);
        const float* const low = memory_.samples.data() + first;
        const float* const high = low + grid_.step[Axis];
        std::uint32_t* const vertex_on = memory_.full_vertex_on.data() + Axis * grid_.volume + first;
        const auto first_vertex = static_cast<std::uint32_t>(memory_.positions.size());
        const std::size_t row_side = side_of_row<Axis>(y, z);
        const std::uint64_t ends = Axis == 0 ? 0 : 1 | std::uint64_t{1} << grid_.cells;
        const std::uint64_t on_side = row_side == kNoSide ? ends : ~std::uint64_t{0};
        const auto row_word = static_cast<std::uint32_t>(first | Axis << EdgeWord::kAxisBit);
        memory_.positions.make_room_for(grid_.samples);
        memory_.edges.make_room_for(grid_.samples);
        Vector3* const positions = memory_.positions.room();
        std::uint32_t* const edges = memory_.edges.room();
        std::uint32_t count = 0;
        for_each_bit(crossed, [&](std::size_t x) {
            vertex_on[x] = first_vertex + count;
            edges[count] = (row_word + static_cast<std::uint32_t>(x)) | static_cast<std::uint32_t>(on_side >> x & 1)
                                                                            << EdgeWord::kOnSideBit;
            positions[count++] = vertex_at(x, y, z, Axis, crossing(low[x], high[x]));
        });
        memory_.positions.keep(count);
        memory_.edges.keep(count);
        list_on_sides<Axis>(crossed & ends, row_side, first_vertex);
    }

    // Which side a row lies on, if any, or kOnTwo.
    template <std::size_t Axis>
    std::size_t side_of_row(std::size_t y, std::size_t z) const {
        const auto side = [&](std::size_t axis, std::size_t at) {
            return at == 0 ? 2 * axis : at == grid_.cells ? 2 * axis + 1 : kNoSide;
        };
        const std::size_t of_y = Axis == 1 ? kNoSide : side(1, y);
        const std::size_t of_z = Axis == 2 ? kNoSide : side(2, z);
        return of_y == kNoSide ? of_z : of_z == kNoSide ? of_y : kOnTwo;
    }

    // The row's vertices, from `next` on, of which those at the row's ends are on a side along x too.
    template <std::size_t Axis>
    void list_on_sides(std::uint64_t at_ends, std::size_t row_side, std::uint32_t next) {
        const auto last = static_cast<std::uint32_t>(memory_.positions.size());
        if (row_side == kNoSide && at_ends == 0) return;
        const bool at_low = (at_ends & 1) != 0, at_high = at_ends > 1;
        const auto list = [&](std::size_t side, std::uint32_t from, std::uint32_t to) {
            auto& numbers = memory_.on_sides[side == kOnTwo ? impl::kOnTwoSides : Axis * side::count + side];
            numbers.make_room_for(to - from);
            for (std::uint32_t number = from; number < to; ++number) numbers.append(number);
        };
        const auto beside_x = [&](std::size_t side) { return row_side == kNoSide ? side : kOnTwo; };
        if (at_low) list(beside_x(0), next, next + 1);
        if (at_high) list(beside_x(1), last - 1, last);
        if (row_side != kNoSide) list(row_side, next + (at_low ? 1 : 0), last - (at_high ? 1 : 0));
    }

    void add_triangles(std::size_t z) {
        for (std::size_t y = 0; y < grid_.cells; ++y) {
            const std::array<std::uint64_t, 4> rows{row(y, z), row(y + 1, z), row(y, z + 1), row(y + 1, z + 1)};
            const std::uint64_t some = rows[0] | rows[1] | rows[2] | rows[3];
            const std::uint64_t all = rows[0] & rows[1] & rows[2] & rows[3];
            const std::uint64_t mixed = (some | some >> 1) & ~(all & all >> 1) & low_bits(grid_.cells);
            if (mixed == 0) continue;
            memory_.indices.make_room_for(grid_.cells * std::tuple_size_v<decltype(RegularCase::edges)>);
            const std::uint32_t* const vertex_on = memory_.full_vertex_on.data() + grid_.at(0, y, z);
            for_each_bit(mixed, [&](std::size_t x) {
                const std::uint64_t inside =
                    (rows[0] >> x & 3) | (rows[1] >> x & 3) << 2 | (rows[2] >> x & 3) << 4 | (rows[3] >> x & 3) << 6;
                add_cell(cases_[inside], vertex_on + x);
            });
        }
    }

    // Writes two or all five triangles and keeps those that there are: how many is hard for a processor to foresee.
    void add_cell(const RegularCase& entry, const std::uint32_t* vertex_on) {
        std::uint32_t* const out = memory_.indices.room();
        const std::size_t written = entry.triangle_count <= 2 ? 6 : entry.edges.size();
        for (std::size_t i = 0; i < 6; ++i) out[i] = vertex_on[offsets_[entry.edges[i]]];
        for (std::size_t i = 6; i < written; ++i) out[i] = vertex_on[offsets_[entry.edges[i]]];
        memory_.indices.keep(std::size_t{3} * entry.triangle_count);
    }

    const ChunkGrid& grid_;
    impl::ExtractMemory& memory_;
    const std::array<RegularCase, 256>& cases_;
    std::array<std::size_t, kRegularEdges> offsets_{};
};

}  // namespace

void mesh_regular_cells(const ChunkGrid& grid, impl::ExtractMemory& memory) {
    RegularMesher(grid, memory).mesh();
}

}  // namespace quarry::terrain::transvoxel
