#pragma once

#include <string>
#include <vector>

#include "engine.hpp"

namespace model {

std::string format_trace(const std::vector<TraceEntry>& trace, const MemoryModel& memory);

}  // namespace model
