#pragma once

#include <cstdint>
#include <vector>

#include "jobs/measure.hpp"
#include "jobs/rows/tree.hpp"

namespace quarry::bench {

// Input of the rows, made at first use and kept until the harness has done with the row.
struct RowData {
    std::vector<TreeNode> small_tree;
    std::vector<TreeNode> large_tree;
    std::vector<float> matrices;  // a, b and c, one after the other
    std::vector<std::uint64_t> small_cells;
    std::vector<std::uint64_t> large_cells;
    std::vector<std::uint64_t> keys;
    std::vector<std::uint64_t> keys_to_sort;
};

struct RowContext {
    bool quick;  // fewer samples and shorter series; the same sizes
    RowData& data;
    Answer& answer;
    int workers = 1;

    double min_seconds() const { return quick ? 0.01 : 0.03; }
};

}  // namespace quarry::bench
