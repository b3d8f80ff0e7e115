#pragma once

#include <cstdint>

#include "jobs/node.hpp"

namespace quarry::impl {

// How a job is called in a trace. The name lives as long as the program.
struct TraceLabel {
    const char* name;
    std::uint8_t lane;  // for trace_lane_name; 0: none

    bool operator==(const TraceLabel&) const = default;
};

// The one place that knows what a trace calls a job. Called by the thread that is about to run it.
TraceLabel trace_label_of(const Node& node) noexcept;
// Null for lane 0.
const char* trace_lane_name(std::uint8_t lane) noexcept;

// A promoted join says so in a field that only lists use, which it never enters.
inline void mark_as_join(Node& node) noexcept {
    node.next.set(&node);
}

}  // namespace quarry::impl
