#include <atomic>
#include <cstdint>

#include "jobs/os/os.hpp"
#include "quarry/jobs/impl/channel_atomics.hpp"

namespace quarry::impl {

namespace {

// Sleeping and being woken costs some 5 to 50 us: looking for longer than that never pays.
constexpr std::uint64_t kMostSpinMicroseconds = 20;

}  // namespace

void channel_sleep(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
    os::futex_wait(word, expected);
}

bool channel_sleep_until(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t deadline) noexcept {
    return os::futex_wait_until(word, expected, deadline);
}

void channel_wake_one(std::atomic<std::uint32_t>& word) noexcept {
    os::futex_wake_one(word);
}

void channel_wake_all(std::atomic<std::uint32_t>& word) noexcept {
    os::futex_wake_all(word);
}

void channel_relax() noexcept {
    os::cpu_relax();
}

std::uint64_t channel_most_spin_ticks() noexcept {
    static const bool alone = os::usable_cpus() == 1;
    return alone ? 0 : kMostSpinMicroseconds * os::ticks_per_microsecond();
}

}  // namespace quarry::impl
