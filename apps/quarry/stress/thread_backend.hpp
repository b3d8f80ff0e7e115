#pragma once

#include <atomic>
#include <cstddef>

#include <quarry/frame/inbox.hpp>
#include <quarry/jobs/pool.hpp>

#include "stress/backend.hpp"

namespace quarry::app {

// Worker threads: each job goes through the pool's queue, and its answer through an inbox.
class ThreadBackend final : public Backend {
  public:
    ThreadBackend(int workers, std::size_t queue, std::size_t results);

    bool submit(JobKind kind, std::uint64_t number, std::uint32_t ticket) override;
    void collect(std::vector<Answer>& answers) override;
    std::size_t waiting() override;
    int workers_alive() override;
    std::vector<std::uint64_t> worker_jobs() override;

  private:
    // The pool comes last: its threads end before what they use.
    std::atomic<int> alive_{0};
    std::uint64_t collected_ = 0;
    Inbox<Answer> inbox_;
    Pool pool_;
};

}  // namespace quarry::app
