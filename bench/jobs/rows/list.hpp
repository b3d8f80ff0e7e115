#pragma once

#include <span>
#include <string_view>

namespace quarry::bench {

struct RowInfo {
    std::string_view name;
    std::string_view unit{};  // of its main figures; others may have their own
    std::string_view what;
    bool heavy = false;         // most of a second: a quick run measures it once and without a warm-up
    bool largest_only = false;  // the number of workers hardly matters: measured on the largest only
    bool caller_apart = false;  // workers stand beside the caller, which only hands over
    bool together = false;      // the engines do nothing: all are measured at the same time
    bool cold = false;          // each measurement in a new process, without a warm-up; numbers of workers take turns
    bool warms_itself = false;  // its measurement begins with a warm-up
};

std::span<const RowInfo> all_rows();
const RowInfo* find_row(std::string_view name);

}  // namespace quarry::bench
