#include "sync/process_host.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include "process/handlers.hpp"

namespace quarry::app {

namespace {

process::EngineOptions engine_options(const ProcessHostOptions& options) {
    process::EngineOptions engine = own_workers(options.workers, options.faults);
    if (options.slots != 0) engine.result_queue = options.slots;
    return engine;
}

}  // namespace

ProcessHost::ProcessHost(const CpuWork& work, ProcessHostOptions options)
    : work_(work),
      apply_cost_(std::move(options.apply_cost)),
      engine_(engine_options(options)),
      injector_(engine_, options.faults) {
    engine_.set_retry(kCpuWorkJob, process::Retry::idempotent);
}

void ProcessHost::wait_until(time_point moment) {
    std::this_thread::sleep_until(moment);
}

void ProcessHost::submit(std::chrono::nanoseconds length, std::uint64_t id) {
    const CpuWorkJob job{work_.rounds_per_nanosecond(), length.count()};
    const process::Submitted submitted = engine_.submit(kCpuWorkJob, std::as_bytes(std::span(&job, 1)));
    if (!submitted) throw std::runtime_error(process::describe(submitted.refusal));
    const std::size_t index = submitted.id & 0xffff'ffff;
    if (index >= ids_.size()) ids_.resize(index + 1);
    ids_[index] = id;
}

std::optional<std::uint64_t> ProcessHost::take() {
    for (;;) {
        const std::vector<process::Result> results = engine_.poll(1);
        if (results.empty()) return std::nullopt;
        const process::Result& result = results.front();
        // A job that was lost has not come back: the loop counts it so.
        const bool is_own = result.type == process::JobType(kCpuWorkJob).hash();
        if (is_own && result.status == process::Status::ok) return ids_[result.id & 0xffff'ffff];
    }
}

void ProcessHost::deliver(std::chrono::nanoseconds budget, const std::function<void(std::uint64_t)>& apply) {
    using std::chrono::nanoseconds;
    DeliveryWatch watch(budget);
    time_point start = now();
    const time_point end = start + budget;
    bool any = false;
    do {
        const std::optional<std::uint64_t> id = take();
        if (!id) break;
        any = true;
        watch.item([&] {
            apply(*id);
            if (apply_cost_) work_.run(apply_cost_(*id));
        });
        const time_point item_end = now();
        cost_.learn(static_cast<double>(nanoseconds(item_end - start).count()));
        start = item_end;
    } while (start < end && cost_.expected() <= static_cast<double>(nanoseconds(end - start).count()));
    if (any) watch.add_to(figures_, std::max(nanoseconds::zero(), nanoseconds(start - end)), engine_.stats().results);
}

}  // namespace quarry::app
