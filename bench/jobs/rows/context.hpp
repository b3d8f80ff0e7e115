#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
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
    std::string_view unit{};  // the row's

    double min_seconds() const { return quick ? 0.01 : 0.03; }

    // A figure in the row's unit.
    void add(std::string name, double value) { answer.add(std::move(name), std::string(unit), value); }
    // The same for a time.
    void add_time(std::string name, double seconds) { add(std::move(name), seconds * units_in_a_second(unit)); }
    void add_samples(std::string name, std::vector<double> values) {
        answer.samples.push_back({std::move(name), std::string(unit), std::move(values)});
    }
};

}  // namespace quarry::bench
