#include "quarry/jobs/impl/blocking.hpp"

#include <string>

#include "jobs/worker/worker.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::impl {

void require_job_may_block(WorkerContext& context, const char* verb) {
    if (static_cast<Worker&>(context).job_lane == Lane::io) return;
    throw Error(std::string(verb) +
                " may block, and only a job of Lane::io may: use try_send or try_receive here, or submit the job, or "
                "let the coroutine hop, to Lane::io");
}

}  // namespace quarry::impl
