#pragma once

#include <cstdint>

#include "jobs/pool/lanes.hpp"
#include "jobs/scope/group.hpp"
#include "jobs/task/node.hpp"
#include "jobs/task/task_header.hpp"
#include "jobs/trace/event.hpp"

namespace quarry::impl {

// How a job is called in a trace. The name lives as long as the program.
struct TraceLabel {
    const char* name;
    std::uint8_t lane;  // for trace_lane_name; 0: none

    bool operator==(const TraceLabel&) const = default;
};

// The one place that knows what a trace calls a job. Called by the thread that is about to run it.
inline TraceLabel trace_label_of(const Node& node) noexcept {
    if (node.is_task()) {
        const TaskHeader& header = task_header(const_cast<Node&>(node));
        return {header.name != nullptr ? header.name : "task",
                static_cast<std::uint8_t>(1 + static_cast<int>(header.lane))};
    }
    // A scope always has options, if only the default ones.
    if (node.group != nullptr) {
        if (node.group->name != nullptr) return {node.group->name, 0};
        return {node.group->options == nullptr ? "loop piece" : "scope job", 0};
    }
    return {node.next.get() == &node ? "join" : "task", 0};
}
// By which a trace knows a submitted job from its queueing to its start; 0 for others. Another job has it afterwards.
inline std::uint64_t trace_number_of(const Node& node) noexcept {
    if (!node.is_task()) return 0;
    return reinterpret_cast<std::uintptr_t>(&node) / sizeof(Node) & Event::kMostJob;
}
// Null for lane 0.
inline const char* trace_lane_name(std::uint8_t lane) noexcept {
    return lane == 0 ? nullptr : lane_name(static_cast<Lane>(lane - 1));
}

// A promoted join says so in a field that only lists use, which it never enters.
inline void mark_as_join(Node& node) noexcept {
    node.next.set(&node);
}

}  // namespace quarry::impl
