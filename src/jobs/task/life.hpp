#pragma once

#include "jobs/task/node.hpp"
#include "jobs/worker/counters.hpp"
#include "quarry/jobs/lane.hpp"

// The life of a submitted job in its pool: it is made, queued, and ends.
namespace quarry::impl {

class PoolCore;

// Makes a submitted job of a node whose body is built. Not armed: it continues something.
void make_task(PoolCore& core, Node& node, const SubmitOptions& options, bool armed) noexcept;
// What the job continues has ended: queues it, unless it was cancelled.
void queue_continuation(PoolCore& core, Node& node) noexcept;
// Queues a job that must not wait for room, whether its lane has some or not.
void queue_beyond_bound(PoolCore& core, Node& node, Priority priority) noexcept;
// The caller has claimed the job in order not to run it.
void end_cancelled(PoolCore& core, Node& node) noexcept;
// The caller has claimed the job, and it is over: counts it and tells those who listen.
void end_task(PoolCore& core, Node& node, JobEnd end) noexcept;
// Throws if that job, of another pool than the caller's, never ends here: it is one of a forked child's parent.
void require_end_of(Node& task);

// Drops entries of a lane's queues whose jobs others have claimed: they take up room.
void sweep_entries(PoolCore& core, Lane lane) noexcept;
// A job of that lane was claimed, and its entry may be in the queue.
void entry_left_behind(PoolCore& core, Lane lane) noexcept;

}  // namespace quarry::impl
