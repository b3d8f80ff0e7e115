#include "sync/thread_host.hpp"

#include <algorithm>
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
    const nanoseconds start = thread_cpu_time();
    nanoseconds last_item{};
    const DeliveryReport report = inbox_.deliver(budget, [&](std::uint64_t id) {
        const nanoseconds item_start = thread_cpu_time();
        apply(id);
        if (apply_cost_) work_.run(apply_cost_(id));
        last_item = thread_cpu_time() - item_start;
    });
    if (report.delivered == 0) return;
    const nanoseconds excess = thread_cpu_time() - start - last_item - budget;
    const bool first = figures_.deliveries++ == 0;
    figures_.worst_excess = first ? excess : std::max(figures_.worst_excess, excess);
    figures_.worst_wall = std::max(figures_.worst_wall, report.overrun);
    if (excess > DeliveryFigures::kSlack) ++figures_.over;
    figures_.carried_over += report.carried_over;
}

}  // namespace quarry::app
