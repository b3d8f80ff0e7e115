#include "jobs/trace/label.hpp"

#include "jobs/group.hpp"
#include "jobs/task_header.hpp"

namespace quarry::impl {

TraceLabel trace_label_of(const Node& node) noexcept {
    if (node.is_task()) {
        const TaskHeader& header = task_header(const_cast<Node&>(node));
        return {header.name != nullptr ? header.name : "task",
                static_cast<std::uint8_t>(1 + static_cast<int>(header.lane))};
    }
    // A scope always has options, if only the default ones.
    if (node.group != nullptr) return {node.group->options == nullptr ? "loop piece" : "scope job", 0};
    return {node.next.get() == &node ? "join" : "task", 0};
}

const char* trace_lane_name(std::uint8_t lane) noexcept {
    switch (lane) {
        case 1 + static_cast<int>(Lane::frame):
            return "frame";
        case 1 + static_cast<int>(Lane::background):
            return "background";
        case 1 + static_cast<int>(Lane::io):
            return "io";
        case 1 + static_cast<int>(Lane::host):
            return "host";
        default:
            return nullptr;
    }
}

}  // namespace quarry::impl
