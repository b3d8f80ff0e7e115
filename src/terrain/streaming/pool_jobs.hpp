#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "quarry/frame/inbox.hpp"
#include "quarry/jobs/lane.hpp"
#include "quarry/jobs/pool.hpp"
#include "terrain/streaming/mesh_jobs.hpp"

namespace quarry::terrain::streaming {

// Requests in the order of their ranks, shared by the host's thread and the workers.
class RequestQueue {
  public:
    // Whether somebody has to be told to take one more.
    bool push(MeshJob job, double rank);
    bool cancel(ChunkId id);
    void reorder(const MeshJobs::Rank& rank);
    void take_begun(std::vector<ChunkId>& begun);
    std::size_t size() const;

    // The first in line if it is urgent.
    std::optional<MeshJob> pop_urgent();
    // On a worker that was told to: does the first in line, or nothing if it was cancelled meanwhile.
    std::optional<MeshOutcome> work();
    // Urgent ones that workers have begun and not ended.
    std::size_t urgent_at_work() const;

    std::atomic<bool> host_waits = false;

  private:
    // Small, since heaps move their entries.
    struct Entry {
        double rank;
        std::uint64_t number;
        ChunkId id;
        friend bool operator<(const Entry& a, const Entry& b) noexcept {
            return a.rank != b.rank ? a.rank > b.rank : a.number > b.number;
        }
    };

    // By slot: the version that was pushed last, whether it waits, and its job as long as it does. What was cancelled
    // stays in the heap until it comes to the front, or until there is too much of it.
    struct Place {
        std::uint32_t generation = 0;
        bool waits = false;
        MeshJob job;
    };
    bool waits(const Entry& entry) const noexcept;
    std::optional<MeshJob> pop();
    void ended_urgent();
    std::optional<MeshJob> pop_first();
    void forget_cancelled();

    mutable std::mutex mutex_;
    std::vector<Entry> entries_;  // a heap
    std::vector<Place> places_;
    std::size_t waiting_ = 0;
    std::vector<ChunkId> begun_;
    std::uint64_t last_number_ = 0;
    std::size_t told_ = 0;  // workers' jobs that have not popped yet
    std::size_t urgent_at_work_ = 0;
};

// Jobs of a pool: each, when it starts, takes what is first in line at that moment. So the order is that of the last
// ranks, whatever was submitted first.
class PoolJobs final : public MeshJobs {
  public:
    PoolJobs(Pool& pool, Lane lane, std::size_t most, const HostGuard& host);

    void submit(MeshJob job, double rank) override;
    void tell_workers() override;
    bool cancel(ChunkId id) override;
    void reorder(const Rank& rank) override;
    void collect(std::vector<ChunkId>& begun, std::vector<MeshOutcome>& outcomes) override;
    std::size_t queued() const override;
    bool run_urgent() override;
    void wait_for_outcome(std::chrono::nanoseconds most) override;

  private:
    using Clock = std::chrono::steady_clock;

    void tell_one(Lane lane);
    bool workers_are_enough() const;

    Pool& pool_;
    const Lane lane_;
    const std::size_t processors_;
    std::size_t untold_ = 0;       // jobs that a worker has to be told of
    Clock::time_point last_news_;  // when an urgent one was submitted, or a result had come, last
    std::shared_ptr<RequestQueue> queue_ = std::make_shared<RequestQueue>();
    Inbox<MeshOutcome> inbox_;
    std::vector<MeshOutcome> came_;  // not collected yet
};

}  // namespace quarry::terrain::streaming
