#pragma once

#include <cstddef>

// What is tied to an operating system, behind one small interface (os_linux.cpp implements it).
namespace quarry::terrain::impl::os {

// Memory of that size, aligned to it (a power of two), ready to be written without a page fault where the system can do
// that. Null: there is none.
void* map_aligned(std::size_t bytes) noexcept;
void unmap(void* memory, std::size_t bytes) noexcept;

// From now on calls `before` ahead of every fork, and `after` behind it in both processes: for locks that a child would
// otherwise inherit from threads that it does not have.
void around_fork(void (*before)(), void (*after)()) noexcept;

}  // namespace quarry::terrain::impl::os
