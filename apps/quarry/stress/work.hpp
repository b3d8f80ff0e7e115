#pragma once

#include <cstdint>
#include <span>

namespace quarry::app {

enum class JobKind {
    compute_heavy,  // about two microseconds of arithmetic
    sleep,          // a millisecond off the processor
    mixed,          // nine of the first, then one of the second
};

// The work of the burst test since the first of these systems: iterations over the data, each step needing the last.
std::uint32_t compute_heavy(std::span<const std::uint32_t> data, std::uint32_t iterations) noexcept;

// What every job answers if nothing went wrong: 10 iterations of compute_heavy over 0 to 49, or its stand-in for a
// sleep.
inline constexpr std::uint32_t kComputeHeavyAnswer = 811'125;
inline constexpr std::uint32_t kSleepAnswer = 1;

bool is_sleep(JobKind kind, std::uint64_t number) noexcept;
std::uint32_t run_job(JobKind kind, std::uint64_t number) noexcept;
std::uint32_t expected_answer(JobKind kind, std::uint64_t number) noexcept;

}  // namespace quarry::app
