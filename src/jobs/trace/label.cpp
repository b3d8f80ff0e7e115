#include "jobs/trace/label.hpp"

#include "jobs/group.hpp"

namespace quarry::impl {

TraceLabel trace_label_of(const Node& node) noexcept {
    // A scope always has options, if only the default ones.
    if (node.group != nullptr) return {node.group->options == nullptr ? "loop piece" : "scope job", 0};
    return {node.next.get() == &node ? "join" : "task", 0};
}

const char* trace_lane_name(std::uint8_t) noexcept {
    return nullptr;
}

}  // namespace quarry::impl
