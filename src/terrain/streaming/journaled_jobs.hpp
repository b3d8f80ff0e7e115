#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "terrain/streaming/journal.hpp"
#include "terrain/streaming/mesh_jobs.hpp"

namespace quarry::terrain::streaming {

// Workers whose doings are written down.
class RecordedJobs final : public MeshJobs {
  public:
    RecordedJobs(std::unique_ptr<MeshJobs> jobs, Journal& journal) : jobs_(std::move(jobs)), journal_(journal) {}

    void submit(MeshJob job, double rank) override { jobs_->submit(std::move(job), rank); }
    void tell_workers() override { jobs_->tell_workers(); }
    bool cancel(ChunkId id) override;
    void reorder(const Rank& rank) override { jobs_->reorder(rank); }
    void collect(std::vector<ChunkId>& begun, std::vector<MeshOutcome>& outcomes) override;
    std::size_t queued() const override { return jobs_->queued(); }
    bool run_urgent() override { return jobs_->run_urgent(); }
    void wait_for_outcome(std::chrono::nanoseconds most) override { jobs_->wait_for_outcome(most); }

  private:
    std::unique_ptr<MeshJobs> jobs_;
    Journal& journal_;
};

// Workers who seem to do at each moment what was written down. What they really do decides only for how long that
// takes.
class ReplayedJobs final : public MeshJobs {
  public:
    ReplayedJobs(std::unique_ptr<MeshJobs> jobs, Journal& journal) : jobs_(std::move(jobs)), journal_(journal) {}

    void submit(MeshJob job, double rank) override;
    void tell_workers() override { jobs_->tell_workers(); }
    bool cancel(ChunkId id) override;
    void reorder(const Rank& rank) override { jobs_->reorder(rank); }
    // Waits for results that are late. Throws ReplayError for those of jobs that nobody has asked for.
    void collect(std::vector<ChunkId>& begun, std::vector<MeshOutcome>& outcomes) override;
    std::size_t queued() const override { return jobs_->queued(); }

  private:
    using Name = std::uint64_t;
    static Name name(ChunkId id) noexcept { return std::uint64_t{id.slot} << 32 | id.generation; }

    void take_in();
    void require_asked_for(ChunkId id) const;

    std::unique_ptr<MeshJobs> jobs_;
    Journal& journal_;
    std::unordered_map<Name, MeshJob> asked_for_;  // and neither handed on nor given up
    std::unordered_set<Name> kept_here_;           // of these: not with the workers any more, to be made when it is due
    std::unordered_set<Name> given_up_;            // as recorded; but a worker has begun
    std::unordered_map<Name, MeshOutcome> early_;
    std::vector<ChunkId> begun_;
    std::vector<MeshOutcome> came_;
};

}  // namespace quarry::terrain::streaming
