#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "harness/machine.hpp"

namespace quarry::app {

// What every report of the program begins with; "options" come next.
inline nlohmann::ordered_json report_head(std::string_view program, const bench::Machine& machine) {
    nlohmann::ordered_json json;
    json["schema"] = 1;
    json["program"] = program;
    json["machine"] = {{"cpu", machine.cpu}, {"cores", machine.cores}, {"simd", machine.simd}};
    return json;
}

}  // namespace quarry::app
