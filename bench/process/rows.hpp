#pragma once

#include <span>
#include <string_view>

namespace quarry::bench {

// A row of `quarry bench process`. Each function makes what it needs, measures once, and returns one figure.
struct ProcessRow {
    std::string_view name;
    std::string_view unit;
    bool higher_is_better;
    double aim;  // in units, or times the baseline
    bool aim_is_ratio;
    std::string_view what;
    double (*quarry)();
    double (*bare)();  // may be null: there is nothing to compare with
};

std::span<const ProcessRow> process_rows();

}  // namespace quarry::bench
