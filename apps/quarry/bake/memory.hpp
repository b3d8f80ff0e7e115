#pragma once

#include <cstdint>

namespace quarry::app {

// Bytes that this process may still take: of the machine's memory, of its control group's, of its address space. An
// estimate from above where the system says nothing.
std::uint64_t free_memory();

// The most that this process has had in memory at any time, in bytes.
std::uint64_t peak_memory();

}  // namespace quarry::app
