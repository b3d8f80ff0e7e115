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
        for (std::size_t z = 0; z < grid_.samples; ++z) {
            add_vertices(z);
            if (z > 0) add_triangles(z - 1);
            if (z < grid_.cells) add_vertices_above(z);
        }
    }

  private:
    std::uint64_t row(std::size_t y, std::size_t z) const { return memory_.signs[z * grid_.samples + y]; }

    // The vertices on edges along x and y in one layer of samples.
    void add_vertices(std::size_t z) {
        for (std::size_t y = 0; y < grid_.samples; ++y) {
            const std::uint64_t here = row(y, z);
            add_row((here ^ here >> 1) & low_bits(grid_.cells), y, z, 0);
            if (y < grid_.cells) add_row(here ^ row(y + 1, z), y, z, 1);
        }
    }

    void add_vertices_above(std::size_t z) {
        for (std::size_t y = 0; y < grid_.samples; ++y) add_row(row(y, z) ^ row(y, z + 1), y, z, 2);
    }

    void add_row(std::uint64_t crossed, std::size_t y, std::size_t z, std::size_t axis) {
        const std::size_t first = grid_.at(0, y, z);
        const float* const low = memory_.samples.data() + first;
        const float* const high = low + grid_.step[axis];
        std::uint32_t* const vertex_on = memory_.full_vertex_on.data() + axis * grid_.volume + first;
        if (crossed == 0) return;
        memory_.positions.make_room_for(grid_.samples);
        for_each_bit(crossed, [&](std::size_t x) {
            vertex_on[x] = static_cast<std::uint32_t>(memory_.positions.size());
            const float units = grid_.is_on_line(x, y, z, axis, 1) ? kLineUnits : kFineUnits;
            memory_.positions.append(vertex_at(x, y, z, axis, crossing(low[x], high[x], units)));
        });
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
