#pragma once

#include <cstdint>

#include "quarry/export.hpp"
#include "quarry/jobs/impl/job.hpp"
#include "quarry/jobs/lane.hpp"

namespace quarry::impl {

class PoolCore;
class TaskHome;

// Leave for one job to enter its lane, taken before the job's closure is moved into it: so that a caller who is refused
// keeps the closure, and once the closure is moved nothing can fail.
class Admission {
  public:
    // exceed: by a thread that others wait for.
    enum class WhenFull { wait, refuse, exceed };
    // permit: the job starts only when it has one, and until then counts for a bound of its own, see submit_gated.
    enum class Needs : std::uint8_t { nothing, permit };

    // Waits for room only in a thread outside every job: a worker that would make room may be waiting for that job. The
    // host's thread does not wait while a job waits for it. Throws std::invalid_argument for an unknown lane or
    // priority, quarry::Error when the pool is being destroyed.
    QUARRY_API Admission(PoolCore& core, const SubmitOptions& options, WhenFull when_full,
                         Needs needs = Needs::nothing);
    Admission(const Admission&) = delete;
    Admission& operator=(const Admission&) = delete;
    ~Admission() {
        if (granted_ != Granted::none || has_room_before_permit_ || counted_ || visited_ != nullptr) give_back();
    }

    PoolCore& core() const noexcept { return core_; }
    bool granted() const noexcept { return granted_ != Granted::none; }
    // Completes the job, whose body and `operate` are set, and queues it. Once.
    QUARRY_API void submit(Job& job, const SubmitOptions& options) noexcept;
    // The same for a job that was made by then.
    void queue(Job& job, Priority priority) noexcept;

  private:
    enum class Granted : std::uint8_t { none, own_queue, lane_queue };

    enum class Bound : std::uint8_t { queue, before_permit };

    void count_early();
    void visit();
    void decide(const SubmitOptions& options, WhenFull when_full, Needs needs);
    bool take_room(Bound bound, WhenFull when_full, bool own_job);
    bool wait_for_room(Bound bound);
    QUARRY_API void give_back() noexcept;

    PoolCore& core_;
    const Lane lane_;
    Granted granted_ = Granted::none;
    bool has_room_before_permit_ = false;
    bool counted_ = false;  // the job is, before it exists
    // Where a thread is inside whose job is counted early, until this goes: so the pool does not end meanwhile.
    TaskHome* visited_ = nullptr;
};

}  // namespace quarry::impl
