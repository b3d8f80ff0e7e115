#include "jobs/rows/list.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "jobs/rows/table.hpp"

namespace quarry::bench {
namespace {

constexpr std::array kRows = std::apply([](const auto&... rows) { return std::array{rows.info...}; }, kJobsRows);

}  // namespace

std::span<const RowInfo> all_rows() {
    return kRows;
}

const RowInfo* find_row(std::string_view name) {
    const auto* found = std::find_if(kRows.begin(), kRows.end(), [&](const RowInfo& row) { return row.name == name; });
    return found == kRows.end() ? nullptr : found;
}

}  // namespace quarry::bench
