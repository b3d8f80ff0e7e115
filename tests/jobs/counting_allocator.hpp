#pragma once

#include <cstdint>

namespace quarry::test_support {

// Allocations by operator new since the start of the process. Linking counting_allocator.cpp replaces that operator.
std::uint64_t allocation_count() noexcept;

}  // namespace quarry::test_support
