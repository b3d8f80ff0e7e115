#pragma once

#include <cstdint>

namespace quarry::test_support {

// Allocations by operator new since the start of the process. Linking counting_allocator.cpp replaces that operator.
std::uint64_t allocation_count() noexcept;
// Bytes that operator new has given and operator delete has not got back.
std::int64_t live_bytes() noexcept;

// While it lives, operator new throws on this thread.
class RefuseAllocations {
  public:
    RefuseAllocations() noexcept;
    RefuseAllocations(const RefuseAllocations&) = delete;
    RefuseAllocations& operator=(const RefuseAllocations&) = delete;
    ~RefuseAllocations();
};

}  // namespace quarry::test_support
