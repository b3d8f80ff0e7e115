#pragma once

#include <span>
#include <string_view>

namespace quarry::bench {

// A row of `quarry bench frame`. Each function makes what it needs, measures once, and returns one figure; lower is
// better.
struct FrameRow {
    std::string_view name;
    std::string_view unit;
    double aim;  // Quarry should not exceed it
    std::string_view what;
    double (*quarry)(int workers);
    double (*bare)(int workers);  // the least that does the same: a mutex and a vector, naked threads
};

std::span<const FrameRow> frame_rows();

}  // namespace quarry::bench
