#pragma once

#include "engine.hpp"

#include <string>
#include <vector>

namespace model {

std::string format_trace(const std::vector<TraceEntry>& trace, const MemoryModel& memory);

}  // namespace model
