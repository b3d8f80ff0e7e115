#include "quarry/jobs/impl/blocking.hpp"

#include <string>

#include "quarry/jobs/error.hpp"

namespace quarry::impl {

void require_job_may_block(WorkerContext&, const char* verb) {
    throw Error(
        std::string(verb) +
        " may block, and a job that computes must not: use try_send or try_receive, run the job in Lane::io, or "
        "co_await instead");
}

}  // namespace quarry::impl
