#pragma once

#include <atomic>
#include <cstdint>

#include "quarry/export.hpp"

// For layers that stand on jobs: a thread sleeps until a word changes, and others wake it.
namespace quarry::ext {

// Returns when woken, when the word differs from `expected`, or spuriously.
QUARRY_API void sleep(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
// The same; false when the deadline, in nanoseconds of the steady clock, has passed.
QUARRY_API bool sleep_until(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t deadline) noexcept;
// Wakes one thread that sleeps on the word, or all. Never reads the word, so it may already be gone.
QUARRY_API void wake_one(std::atomic<std::uint32_t>& word) noexcept;
QUARRY_API void wake_all(std::atomic<std::uint32_t>& word) noexcept;

}  // namespace quarry::ext
