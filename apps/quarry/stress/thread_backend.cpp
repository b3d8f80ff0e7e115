#include "stress/thread_backend.hpp"

#include <algorithm>

namespace quarry::app {

ThreadBackend::ThreadBackend(int workers, std::size_t queue, std::size_t results)
    : inbox_(InboxOptions{.slots = results}),
      pool_(PoolOptions{.workers = workers,
                        .io_threads = 0,
                        .queue_capacity = queue,
                        .on_thread_start = [this](int) { ++alive_; },
                        .on_thread_stop = [this](int) { --alive_; }}) {}

bool ThreadBackend::submit(JobKind kind, std::uint64_t number, std::uint32_t ticket) {
    const auto job = [kind, number, ticket]() noexcept { return Answer{ticket, run_job(kind, number)}; };
    return inbox_.try_submit(pool_, job).has_value();
}

void ThreadBackend::collect(std::vector<Answer>& answers) {
    inbox_.deliver(DeliveryBudget::everything(), [&](const Answer& answer) { answers.push_back(answer); });
    collected_ += answers.size();
}

std::size_t ThreadBackend::waiting() {
    const std::uint64_t ended = pool_.stats().total.executed();
    return ended - std::min(ended, collected_);
}

int ThreadBackend::workers_alive() {
    return alive_.load();
}

std::vector<std::uint64_t> ThreadBackend::worker_jobs() {
    std::vector<std::uint64_t> jobs;
    for (const WorkerStats& worker : pool_.stats().workers) jobs.push_back(worker.executed());
    return jobs;
}

}  // namespace quarry::app
