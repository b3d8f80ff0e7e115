#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain::test_support {

// A mesher that is slow and obvious: no tables, no sharing, no bits, double precision. It does not make triangles but
// the lines in which the surface meets the faces of the cells; what fills them is up to the mesher under test.
class ReferenceMesher {
  public:
    using Corner = std::array<int, 3>;
    // A lattice edge, by its lower end and its axis.
    using CrossedEdge = std::array<int, 4>;
    using Line = std::pair<CrossedEdge, CrossedEdge>;

    ReferenceMesher(const SampleBlock& block, const std::vector<float>& samples) : block_(block), samples_(samples) {
        for (int z = 0; z + 1 < block.nz; ++z) {
            for (int y = 0; y + 1 < block.ny; ++y) {
                for (int x = 0; x + 1 < block.nx; ++x) mesh_cell({x, y, z});
            }
        }
    }

    // Directed, as the boundary of the surface within each cell runs; a face between two cells has both directions.
    const std::set<Line>& lines() const { return lines_; }

    // Where the surface crosses the edge, from its lower end.
    double crossing(const CrossedEdge& edge) const {
        const Corner low{edge[0], edge[1], edge[2]};
        Corner high = low;
        ++high[static_cast<std::size_t>(edge[3])];
        return density(low) / (density(low) - density(high));
    }

    std::size_t loops() const { return loops_; }

    // The lines on one side of the block, between samples that are `step` apart there, directed as the boundary of the
    // surface in the cells of the block runs. Edges are `step` long.
    std::set<Line> side_lines(std::size_t axis, int high, int step) const {
        const std::array<int, 3> last{block_.nx - 1, block_.ny - 1, block_.nz - 1};
        const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
        std::set<Line> lines;
        for (int i = 0; i < last[u]; i += step) {
            for (int j = 0; j < last[v]; j += step) {
                Corner cell{};
                cell[axis] = high == 0 ? 0 : last[axis] - step;
                cell[u] = i;
                cell[v] = j;
                mesh_face(cell, axis, high, step, lines);
            }
        }
        return lines;
    }

  private:
    double density(const Corner& at) const { return samples_[block_.index(at[0], at[1], at[2])]; }
    bool is_inside(const Corner& at) const { return density(at) < 0; }

    static CrossedEdge edge_between(const Corner& a, const Corner& b) {
        int axis = 0;
        while (a[static_cast<std::size_t>(axis)] == b[static_cast<std::size_t>(axis)]) ++axis;
        const Corner& low = a < b ? a : b;
        return {low[0], low[1], low[2], axis};
    }

    void mesh_cell(const Corner& cell) {
        std::set<Line> own;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (int high = 0; high < 2; ++high) mesh_face(cell, axis, high, 1, own);
        }
        lines_.insert(own.begin(), own.end());
        while (!own.empty()) {
            ++loops_;
            for (CrossedEdge at = own.begin()->first;;) {
                auto line = own.lower_bound({at, CrossedEdge{-1, -1, -1, -1}});
                if (line == own.end() || line->first != at) break;
                at = line->second;
                own.erase(line);
            }
        }
    }

    void mesh_face(const Corner& cell, std::size_t axis, int high, int step, std::set<Line>& own) const {
        const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
        std::array<Corner, 4> around;
        for (std::size_t i = 0; i < 4; ++i) {
            around[i] = cell;
            around[i][axis] += high * step;
            around[i][u] += i == 1 || i == 2 ? step : 0;
            around[i][v] += i >= 2 ? step : 0;
        }
        // u, v and the axis are right-handed, so this order is counter-clockwise seen from beyond the high face.
        if (high == 0) std::swap(around[1], around[3]);
        std::vector<std::size_t> enters, leaves;
        for (std::size_t i = 0; i < 4; ++i) {
            const bool here = is_inside(around[i]), next = is_inside(around[(i + 1) % 4]);
            if (!here && next) enters.push_back(i);
            if (here && !next) leaves.push_back(i);
        }
        const auto crossed = [&](std::size_t i) { return edge_between(around[i], around[(i + 1) % 4]); };
        if (enters.size() == 1) own.insert({crossed(enters[0]), crossed(leaves[0])});
        // Two inside corners, diagonally: each is cut off by itself, from the edge before it to the edge after it.
        if (enters.size() == 2) {
            for (const std::size_t before : enters) own.insert({crossed(before), crossed((before + 1) % 4)});
        }
    }

    const SampleBlock block_;
    const std::vector<float>& samples_;
    std::set<Line> lines_;
    std::size_t loops_ = 0;
};

}  // namespace quarry::terrain::test_support
