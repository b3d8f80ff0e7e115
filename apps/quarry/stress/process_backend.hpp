#pragma once

#include <cstddef>
#include <vector>

#include <quarry/process/engine.hpp>

#include "process/faults.hpp"
#include "stress/backend.hpp"

namespace quarry::app {

// Worker processes. A worker that died is replaced, and its job, which may be run twice, is run again.
class ProcessBackend final : public Backend {
  public:
    ProcessBackend(int workers, std::size_t queue, std::size_t results, const FaultOptions& faults);

    bool submit(JobKind kind, std::uint64_t number, std::uint32_t ticket) override;
    void collect(std::vector<Answer>& answers) override;
    std::size_t waiting() override;
    int workers_alive() override;
    std::vector<std::uint64_t> worker_jobs() override;

    std::uint64_t faults() const { return injector_.injected(); }
    std::uint64_t restarts() const { return engine_.stats().restarts; }

  private:
    std::uint32_t& ticket_of(process::JobId id);

    process::Engine engine_;
    FaultInjector injector_;
    std::vector<std::uint32_t> tickets_;  // by the lower half of a job's number
    std::vector<process::Result> results_;
};

}  // namespace quarry::app
