#include "terrain/streaming/journaled_jobs.hpp"

#include <utility>

namespace quarry::terrain::streaming {

bool RecordedJobs::cancel(ChunkId id) {
    const bool was_cancelled = jobs_->cancel(id);
    journal_.write_cancel(was_cancelled);
    return was_cancelled;
}

void RecordedJobs::collect(std::vector<ChunkId>& begun, std::vector<MeshOutcome>& outcomes) {
    jobs_->collect(begun, outcomes);
    Journal::Collected collected{begun, {}};
    for (const MeshOutcome& outcome : outcomes) collected.ended.push_back(outcome.id);
    journal_.write(collected);
}

void ReplayedJobs::submit(MeshJob job, double rank) {
    asked_for_.insert_or_assign(name(job.id), job);
    jobs_->submit(std::move(job), rank);
}

bool ReplayedJobs::cancel(ChunkId id) {
    if (!journal_.read_cancel()) {
        // It had begun then; now it waits, and its place in the table is going to be given to another.
        if (!early_.contains(name(id)) && jobs_->cancel(id)) kept_here_.insert(name(id));
        return false;
    }
    asked_for_.erase(name(id));
    if (early_.erase(name(id)) == 0 && !jobs_->cancel(id)) given_up_.insert(name(id));
    return true;
}

void ReplayedJobs::require_asked_for(ChunkId id) const {
    if (!asked_for_.contains(name(id))) throw ReplayError("a result was recorded that nobody has asked for");
}

void ReplayedJobs::take_in() {
    begun_.clear();
    came_.clear();
    jobs_->collect(begun_, came_);
    for (MeshOutcome& outcome : came_) {
        const Name of = name(outcome.id);
        if (given_up_.erase(of) == 0) early_.emplace(of, std::move(outcome));
    }
}

void ReplayedJobs::collect(std::vector<ChunkId>& begun, std::vector<MeshOutcome>& outcomes) {
    take_in();
    const Journal::Collected recorded = journal_.read_collected();
    // Some of these have ended already: a worker can begin and end between the two looks at who has begun and what has
    // come.
    begun.insert(begun.end(), recorded.begun.begin(), recorded.begun.end());
    for (const ChunkId id : recorded.ended) {
        require_asked_for(id);
        MeshJob job = std::move(asked_for_.extract(name(id)).mapped());
        if (kept_here_.erase(name(id)) != 0) {
            outcomes.push_back(run(std::move(job)));
            continue;
        }
        while (!early_.contains(name(id))) {
            jobs_->wait_for_outcome(std::chrono::milliseconds(100));
            take_in();
        }
        outcomes.push_back(std::move(early_.extract(name(id)).mapped()));
    }
}

}  // namespace quarry::terrain::streaming
