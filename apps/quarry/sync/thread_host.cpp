#include "sync/thread_host.hpp"

#include <thread>
#include <utility>

namespace quarry::app {

using std::chrono::nanoseconds;

ThreadHost::ThreadHost(const CpuWork& work, ThreadHostOptions options)
    : work_(work),
      apply_cost_(std::move(options.apply_cost)),
      stop_token_(std::move(options.stop_token)),
      inbox_(InboxOptions{.slots = options.slots}),
      pool_(options.workers) {}

void ThreadHost::wait_until(time_point moment) {
    std::this_thread::sleep_until(moment);
}

void ThreadHost::submit(nanoseconds length, std::uint64_t id) {
    inbox_.submit(pool_, [this, length, id] {
        if (!stop_token_.stop_requested()) work_.run(length);
        return id;
    });
}

void ThreadHost::deliver(nanoseconds budget, const std::function<void(std::uint64_t)>& apply) {
    DeliveryWatch watch(budget);
    const DeliveryReport report = inbox_.deliver(budget, [&](std::uint64_t id) {
        watch.item([&] {
            apply(id);
            if (apply_cost_) work_.run(apply_cost_(id));
        });
    });
    if (report.delivered != 0) watch.add_to(figures_, report.overrun, report.carried_over);
}

}  // namespace quarry::app
