#pragma once

#include <atomic>
#include <cstdint>

#include "quarry/export.hpp"

namespace quarry::impl {

// A cheap clock that only runs forward, in ticks whose length the library has measured.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    std::uint64_t value;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
#error "ticks() needs a cycle counter for this processor"
#endif
}

// For a thread that looks again and again.
inline void cpu_relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
}

// What a chunk of a loop should take: about two microseconds. Every pool sets it, to the same value, when it is made;
// by then loops of others may run.
extern QUARRY_API std::atomic<std::uint64_t> loop_chunk_ticks;
inline std::uint64_t chunk_ticks() noexcept {
    return loop_chunk_ticks.load(std::memory_order_relaxed);
}

}  // namespace quarry::impl
