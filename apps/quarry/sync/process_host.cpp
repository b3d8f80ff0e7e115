#include "sync/process_host.hpp"

#include <stdexcept>
#include <thread>

#include "process/handlers.hpp"

namespace quarry::app {

ProcessHost::ProcessHost(const CpuWork& work, int workers, const FaultOptions& faults)
    : work_(work), engine_(own_workers(workers, faults)), injector_(engine_, faults) {
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

void ProcessHost::deliver(std::chrono::nanoseconds budget, const std::function<void(std::uint64_t)>& apply) {
    for (const process::Result& result : engine_.poll(process::Engine::kAll, budget)) {
        // A job that was lost has not come back: the loop counts it so.
        if (result.type != process::JobType(kCpuWorkJob).hash() || result.status != process::Status::ok) continue;
        apply(ids_[result.id & 0xffff'ffff]);
    }
}

}  // namespace quarry::app
