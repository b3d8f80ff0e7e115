#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "quarry/frame/inbox.hpp"
#include "quarry/jobs/lane.hpp"
#include "quarry/jobs/pool.hpp"
#include "terrain/collision/patches.hpp"

namespace quarry::terrain::collision {

// A chunk to be made.
struct PatchRequest {
    std::uint64_t ticket = 0;  // of the chunk's stay in the world
    ChunkKey key;
    std::shared_ptr<const Source> source;
    std::shared_ptr<const PatchSet> before;  // null: none
    double rank = 0;                         // the lowest first
    bool by_frame_lane = false;
    bool is_near = false;  // somebody waits for it
};

struct PatchOutcome {
    std::uint64_t ticket = 0;
    ChunkKey key;
    std::shared_ptr<const Source> source;
    std::shared_ptr<const PatchSet> patches;
    std::exception_ptr error;
};

// Does the work, on whatever thread. Errors come with the outcome.
PatchOutcome run(const PatchRequest& request) noexcept;

// Whoever carries requests out: a pool's workers, or a test that ends them in any order. All calls come from the host's
// thread.
class PatchJobs {
  public:
    virtual ~PatchJobs() = default;

    // These take the place of all that have not begun, in order of their rank. Those among them that have begun since
    // the last call of collect are left out.
    virtual void queue(std::vector<PatchRequest> requests) = 0;
    // Adds the tickets of what has begun, and what has come out, since the last call. Whatever came out is, now or
    // earlier, among those that have begun.
    virtual void collect(std::vector<std::uint64_t>& begun, std::vector<PatchOutcome>& outcomes) = 0;
    // Carries out the first in line on this thread, if somebody waits for it. False: there is none.
    virtual bool run_near() = 0;
    // Until an outcome can be collected, and no longer than that.
    virtual void wait_for_outcome(std::chrono::nanoseconds most) { static_cast<void>(most); }
};

// Requests that have not begun, shared by the host's thread and the workers.
class PatchQueue {
  public:
    struct Wanted {
        std::size_t by_frame_lane = 0;  // workers' jobs to submit
        std::size_t others = 0;
    };

    Wanted replace(std::vector<PatchRequest> requests);
    void take_begun(std::vector<std::uint64_t>& begun);
    // On a worker that was told to, in that lane: the first in line, or nothing if somebody else was faster.
    std::optional<PatchRequest> pop(bool by_frame_lane);
    std::optional<PatchRequest> pop_near();

  private:
    std::optional<PatchRequest> pop_first();

    std::mutex mutex_;
    std::vector<PatchRequest> requests_;  // the first in line is the last
    std::vector<std::uint64_t> begun_;
    Wanted told_;  // workers' jobs that have not popped yet
};

class PoolPatchJobs final : public PatchJobs {
  public:
    PoolPatchJobs(Pool& pool, Lane lane, std::size_t most, const HostGuard& host);

    void queue(std::vector<PatchRequest> requests) override;
    void collect(std::vector<std::uint64_t>& begun, std::vector<PatchOutcome>& outcomes) override;
    bool run_near() override;
    void wait_for_outcome(std::chrono::nanoseconds most) override;

  private:
    void submit(bool by_frame_lane);

    Pool& pool_;
    const Lane lane_;
    std::shared_ptr<PatchQueue> queue_ = std::make_shared<PatchQueue>();
    Inbox<PatchOutcome> inbox_;
    std::vector<PatchOutcome> came_;  // and were not collected yet
};

}  // namespace quarry::terrain::collision
