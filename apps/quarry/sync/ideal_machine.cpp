#include "sync/ideal_machine.hpp"

#include <algorithm>
#include <utility>

namespace quarry::app {

using std::chrono::nanoseconds;

std::size_t IdealMachine::running(int taken_cores) const noexcept {
    const int servers = std::max(0, std::min(workers_, cores_ - taken_cores));
    return std::min(waiting_.size(), static_cast<std::size_t>(servers));
}

// From one end of a job to the next: between them nothing changes.
void IdealMachine::pass(time_point moment, int taken_cores) {
    while (now_ < moment) {
        const std::size_t count = running(taken_cores);
        const auto first = waiting_.begin();
        const auto last = first + static_cast<std::ptrdiff_t>(count);
        nanoseconds step = moment - now_;
        for (auto job = first; job != last; ++job) step = std::min(step, job->left);
        for (auto job = first; job != last; ++job) {
            job->left -= step;
            if (job->left <= nanoseconds::zero()) finished_.push_back(job->id);
        }
        waiting_.erase(std::remove_if(first, last, [](const Job& job) { return job.left <= nanoseconds::zero(); }),
                       last);
        now_ += step;
    }
}

std::vector<std::uint64_t> IdealMachine::take_finished() {
    return std::exchange(finished_, {});
}

}  // namespace quarry::app
