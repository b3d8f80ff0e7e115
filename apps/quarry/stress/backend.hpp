#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stress/work.hpp"

namespace quarry::app {

struct Answer {
    std::uint32_t ticket = 0;  // given with the job
    std::uint32_t value = 0;
    bool failed = false;  // the job had an error instead
};

// What runs the jobs of the burst test. All calls come from the host's thread, and none of them waits.
class Backend {
  public:
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    virtual ~Backend() = default;

    // False: the queue is full, and the job is not taken.
    virtual bool submit(JobKind kind, std::uint64_t number, std::uint32_t ticket) = 0;
    // Adds what has come back, or as much of it as is handed over at once.
    virtual void collect(std::vector<Answer>& answers) = 0;
    // How many answers wait to be collected; it may be fewer than there are.
    virtual std::size_t waiting() = 0;

    virtual int workers_alive() = 0;
    // Jobs that each worker has run.
    virtual std::vector<std::uint64_t> worker_jobs() = 0;
};

}  // namespace quarry::app
