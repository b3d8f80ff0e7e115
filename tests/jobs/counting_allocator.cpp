// In a file of its own: a compiler that sees both sides of a replaced operator warns of a mismatch.
#include "tests/jobs/counting_allocator.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

std::atomic<std::uint64_t> allocations{0};
std::atomic<std::int64_t> live{0};
constinit thread_local std::size_t most_bytes = static_cast<std::size_t>(-1);

void* counted_allocation(std::size_t bytes, std::size_t alignment) {
    if (std::max<std::size_t>(bytes, 1) > most_bytes) throw std::bad_alloc();
    allocations.fetch_add(1, std::memory_order_relaxed);
    const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, rounded);
    if (memory == nullptr) throw std::bad_alloc();
    live.fetch_add(static_cast<std::int64_t>(malloc_usable_size(memory)), std::memory_order_relaxed);
    return memory;
}

void release(void* memory) noexcept {
    live.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(memory)), std::memory_order_relaxed);
    std::free(memory);
}

void* counted_allocation_or_null(std::size_t bytes) noexcept {
    try {
        return counted_allocation(bytes, alignof(std::max_align_t));
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

}  // namespace

void* operator new(std::size_t bytes) {
    return counted_allocation(bytes, alignof(std::max_align_t));
}
void* operator new[](std::size_t bytes) {
    return counted_allocation(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return counted_allocation(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return counted_allocation(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return counted_allocation_or_null(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return counted_allocation_or_null(bytes);
}
void operator delete(void* memory) noexcept {
    release(memory);
}
void operator delete[](void* memory) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    release(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    release(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    release(memory);
}

namespace quarry::test_support {

std::uint64_t allocation_count() noexcept {
    return allocations.load();
}

std::int64_t live_bytes() noexcept {
    return live.load();
}

RefuseAllocations::RefuseAllocations(std::size_t larger_than) noexcept {
    most_bytes = larger_than;
}

RefuseAllocations::~RefuseAllocations() {
    most_bytes = static_cast<std::size_t>(-1);
}

}  // namespace quarry::test_support
