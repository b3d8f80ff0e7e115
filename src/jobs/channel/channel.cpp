// What channels ask of the engine: whether a job may block, and how long a thread looks before it sleeps.
#include <cstdint>
#include <string>

#include "jobs/os/os.hpp"
#include "jobs/worker/worker.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/impl/blocking.hpp"
#include "quarry/jobs/impl/channel_spin.hpp"

namespace quarry::impl {

void require_job_may_block(WorkerContext& context, const char* verb) {
    if (static_cast<Worker&>(context).job_lane == Lane::io) return;
    throw Error(std::string(verb) +
                " may block, and only a job of Lane::io may: use try_send or try_receive here, or submit the job, or "
                "let the coroutine hop, to Lane::io");
}

std::uint64_t channel_most_spin_ticks() noexcept {
    // Sleeping and being woken costs some 5 to 50 us: looking for longer than that never pays.
    constexpr std::uint64_t kMostSpinMicroseconds = 20;
    static const bool alone = os::usable_cpus() == 1;
    return alone ? 0 : kMostSpinMicroseconds * os::ticks_per_microsecond();
}

}  // namespace quarry::impl
