#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "jobs/completion/drain.hpp"
#include "jobs/worker/counters.hpp"

namespace quarry::impl {

// How many jobs of a pool were created and have ended, and with that the pool's end. Workers count in figures of their
// own (WorkerCounters), all other threads here. See README.md.
//
// for_each_worker(visit): visits all, as things with `counters`, which has ended() and spawned.
template <class Policy>
class Ledger {
  public:
    using Count = BasicSharedCounter<Policy>;

    void created_outside() noexcept { created_outside_.add(); }
    void ended_outside(JobEnd end) noexcept { ended_outside_[static_cast<std::size_t>(end)].add(); }
    std::uint64_t created_outside_so_far() const noexcept { return created_outside_.get(); }
    std::uint64_t ended_outside_so_far(JobEnd end) const noexcept {
        return ended_outside_[static_cast<std::size_t>(end)].get();
    }

    // Drain::look.
    template <class ForEachWorker, class WakeWorkers>
    void look(ForEachWorker for_each_worker, WakeWorkers wake_workers) noexcept {
        const auto ended = [&] {
            std::uint64_t sum = 0;
            for (const Count& each : ended_outside_) sum += each.get();
            for_each_worker([&](const auto& worker) { sum += worker.counters.ended(); });
            return sum;
        };
        const auto created = [&] {
            std::uint64_t sum = created_outside_.get();
            for_each_worker([&](const auto& worker) { sum += worker.counters.spawned.get(); });
            return sum;
        };
        drain.look(ended, created, wake_workers);
    }

    // Drain::try_count, for a thread that is no worker of the pool; and if the job is not made after all. look(): as
    // above.
    template <class MayAllTheSame, class Look>
    [[nodiscard]] bool try_count_outside(MayAllTheSame may_all_the_same, Look look) noexcept {
        return drain.try_count(created_outside_, may_all_the_same, look);
    }
    template <class Look>
    void take_count_back(Look look) noexcept {
        drain.take_back(created_outside_, look);
    }

    Drain<Policy> drain;

  private:
    alignas(128) Count created_outside_;
    std::array<Count, 3> ended_outside_{};  // by JobEnd
};

}  // namespace quarry::impl
