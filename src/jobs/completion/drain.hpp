#pragma once

#include <cstdint>

#include "jobs/worker/counters.hpp"
#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

// The end of a pool: it is told to stop, and at some time every job has ended. See README.md.
template <class Policy>
class Drain {
  public:
    using Flag = typename Policy::template Atomic<bool>;
    using Count = BasicSharedCounter<Policy>;

    // look() follows. Sequentially consistent for those who sleep until the flag is set: they announce themselves, pass
    // a fence and look at it, and who stops looks for them next (Room).
    void stop() noexcept { stopping_.store(true, Policy::order(Mutation::drain_stop, std::memory_order_seq_cst)); }
    // Whoever must not miss it passes a fence before, or was told by a thread that had stopped the pool.
    bool is_stopping() const noexcept { return stopping_.load(std::memory_order_relaxed); }

    // The caller sees all that the jobs did.
    bool is_drained() const noexcept {
        return drained_.load(Policy::order(Mutation::drain_is_drained, std::memory_order_acquire));
    }

    // After stop(), and by every thread after it has counted the end of a job, before it sleeps or goes; after it has
    // announced its sleep, and before it looks at is_drained() for the last time. The one caller that finds the end
    // wakes all who sleep.
    //
    // ended(), created(): the sums of the jobs that have ended, and that were created. wake_workers(): Sleep::wake_all
    // for each crew.
    template <class Ended, class Created, class WakeWorkers>
    void look(Ended ended, Created created, WakeWorkers wake_workers) noexcept {
        if (!find_end(ended, created)) return;
        wake_workers();
        tell();
    }

    // The thread that stops the pool: returns when every job has ended. It runs what only it can run by
    // run_own_jobs(), which looks for the end afterwards.
    template <class RunOwnJobs, class BeforeSleep>
    void wait_until_drained(RunOwnJobs run_own_jobs, BeforeSleep before_sleep) noexcept {
        for (;;) {
            const std::uint32_t seen = news_.load(Policy::order(Mutation::drain_news, std::memory_order_acquire));
            run_own_jobs();
            if (is_drained()) return;
            before_sleep();
            Policy::futex_wait(news_, seen);
        }
    }
    // A job was queued that only the thread which will stop the pool can run.
    void queued_for_stopper() noexcept {
        Policy::fence(Mutation::drain_host_fence, std::memory_order_seq_cst);
        if (is_stopping()) tell();
    }

    // A thread that is in no job counts one that it is going to make. True: the pool does not end before that job.
    // False: the pool may have ended already, and nothing was counted. may_all_the_same(): the caller is one whom the
    // pool serves to its end. look(): as above.
    template <class MayAllTheSame, class Look>
    [[nodiscard]] bool try_count(Count& created, MayAllTheSame may_all_the_same, Look look) noexcept {
        created.add();
        Policy::fence(Mutation::drain_accept_fence, std::memory_order_seq_cst);
        if (!stopping_.load(std::memory_order_relaxed) || may_all_the_same()) return true;
        take_back(created, look);
        return false;
    }
    template <class Look>
    void take_back(Count& created, Look look) noexcept {
        created.take_back();
        look();
    }

  private:
    template <class Ended, class Created>
    bool find_end(Ended ended, Created created) noexcept {
        // Of two threads that count or stop first and look second, one sees what the other did.
        Policy::fence(Mutation::drain_fence, std::memory_order_seq_cst);
        if (!stopping_.load(std::memory_order_relaxed) || is_drained()) return false;
        // What others counted before they saw no stop is counted for us, who saw it.
        Policy::fence(Mutation::drain_stop_fence, std::memory_order_seq_cst);
        if (!all_have_ended(ended, created)) return false;
        return !drained_.exchange(true, Policy::order(Mutation::drain_found, std::memory_order_release));
    }

    // A job is counted as created before it can be run, and as ended after all that it created was counted. So when the
    // sum of the ended ones, read first, is that of the created ones, there is none left, and none that could create
    // another.
    template <class Ended, class Created>
    static bool all_have_ended(Ended ended, Created created) noexcept {
        std::uint64_t ends = 0;
        std::uint64_t made = 0;
        Policy::in_order(
            Mutation::drain_created_first, [&] { ends = ended(); }, [&] { made = created(); });
        return made == ends;
    }

    // After a seq_cst fence, which releases what the news is about: wake_workers() passes one, to look for sleepers.
    void tell() noexcept {
        news_.fetch_add(1, std::memory_order_relaxed);
        Policy::futex_wake_one(news_);
    }

    Flag stopping_{false};
    Flag drained_{false};
    typename Policy::template Atomic<std::uint32_t> news_{0};  // for the thread that stops the pool
};

}  // namespace quarry::impl
