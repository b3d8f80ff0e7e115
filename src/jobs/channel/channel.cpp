#include <cstdint>

#include "jobs/os/os.hpp"
#include "quarry/jobs/impl/channel_atomics.hpp"

namespace quarry::impl {

namespace {

// Sleeping and being woken costs some 5 to 50 us: looking for longer than that never pays.
constexpr std::uint64_t kMostSpinMicroseconds = 20;

}  // namespace

void channel_relax() noexcept {
    os::cpu_relax();
}

std::uint64_t channel_most_spin_ticks() noexcept {
    static const bool alone = os::usable_cpus() == 1;
    return alone ? 0 : kMostSpinMicroseconds * os::ticks_per_microsecond();
}

}  // namespace quarry::impl
