#pragma once

#include <cstddef>
#include <cstdint>

namespace quarry::test_support {

// Allocations by operator new since the start of the process. Linking counting_allocator.cpp replaces that operator.
std::uint64_t allocation_count() noexcept;
// Bytes that operator new has given and operator delete has not got back.
std::int64_t live_bytes() noexcept;

// While it lives, operator new throws on this thread, if asked for more than so many bytes.
class RefuseAllocations {
  public:
    explicit RefuseAllocations(std::size_t larger_than = 0) noexcept;
    RefuseAllocations(const RefuseAllocations&) = delete;
    RefuseAllocations& operator=(const RefuseAllocations&) = delete;
    ~RefuseAllocations();
};

}  // namespace quarry::test_support
