#pragma once

#include <cstddef>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/jobs/impl/job.hpp"

// How when_all works; when_all.hpp has the public names.
namespace quarry::impl {

// What a job that continues several others continues.
struct alignas(32) AntecedentList {
    std::size_t count;
    Job* const* jobs;
    std::size_t ended_before;  // all in front of this one have ended; under the lock of Antecedents
};

// One job that starts when several others have ended. It owns itself: the last of the others may end long after the job
// was cancelled.
class Gather;

// Gives the job the pool, lane and priority of the first one. Throws quarry::Error when that pool has ended.
QUARRY_API Gather& prepare_gather(Job& job, std::vector<Job*> antecedents);
// The job is complete and holds the handles of all antecedents: from now on it may start at any time.
QUARRY_API void attach_gather(Gather& gather) noexcept;
// A job that has ended before it began: there was nothing to wait for. Its result is set.
QUARRY_API void make_ended_task(Job& job) noexcept;

}  // namespace quarry::impl
