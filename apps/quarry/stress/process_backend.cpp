#include "stress/process_backend.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "process/handlers.hpp"

namespace quarry::app {
namespace {

process::EngineOptions options_for(int workers, std::size_t queue, std::size_t results, const FaultOptions& faults) {
    process::EngineOptions options = own_workers(workers, faults);
    options.job_queue = queue;
    // The faults' own jobs have results, too.
    options.result_queue = std::min<std::size_t>(1'000'000, std::max(results, queue) + 1'000);
    return options;
}

}  // namespace

ProcessBackend::ProcessBackend(int workers, std::size_t queue, std::size_t results, const FaultOptions& faults)
    : engine_(options_for(workers, queue, results, faults)), injector_(engine_, faults) {
    engine_.set_retry(kStressJob, process::Retry::idempotent);
}

std::uint32_t& ProcessBackend::ticket_of(process::JobId id) {
    const std::size_t index = id & 0xffff'ffff;
    if (index >= tickets_.size()) tickets_.resize(index + 1);
    return tickets_[index];
}

bool ProcessBackend::submit(JobKind kind, std::uint64_t number, std::uint32_t ticket) {
    const StressJob job{kind, number};
    const process::Submitted submitted = engine_.submit(kStressJob, std::as_bytes(std::span(&job, 1)));
    if (submitted) ticket_of(submitted.id) = ticket;
    return static_cast<bool>(submitted);
}

void ProcessBackend::collect(std::vector<Answer>& answers) {
    results_.clear();
    engine_.poll_into(results_);
    for (const process::Result& result : results_) {
        if (result.type != process::JobType(kStressJob).hash()) continue;  // a fault's
        Answer answer{ticket_of(result.id)};
        answer.failed = result.status != process::Status::ok || result.payload.size() != sizeof answer.value;
        if (!answer.failed) std::memcpy(&answer.value, result.payload.bytes().data(), sizeof answer.value);
        answers.push_back(answer);
    }
}

std::size_t ProcessBackend::waiting() {
    return engine_.stats().results;
}

// A replaced worker is not a dead one, and one that was stopped looks alive until that is noticed: alive is who
// answers.
int ProcessBackend::workers_alive() {
    injector_.stop();
    constexpr const char* kQuestion = "ping";
    engine_.set_retry(kQuestion, process::Retry::idempotent);
    for (int worker = 0; worker < engine_.options().workers; ++worker) {
        engine_.submit(kQuestion, "", {.worker = worker});
    }
    engine_.drain(std::chrono::steady_clock::now() + std::chrono::seconds(10));
    int alive = 0;
    for (const process::Result& result : engine_.poll()) {
        const bool answered = result.type == process::JobType(kQuestion).hash();
        alive += answered && result.status == process::Status::ok ? 1 : 0;
    }
    return alive;
}

std::vector<std::uint64_t> ProcessBackend::worker_jobs() {
    std::vector<std::uint64_t> jobs;
    for (const process::WorkerHealth& worker : engine_.health().workers) jobs.push_back(worker.jobs);
    return jobs;
}

}  // namespace quarry::app
