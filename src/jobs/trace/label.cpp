#include "jobs/trace/label.hpp"

#include "quarry/jobs/lane.hpp"

namespace quarry::impl {

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
