#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "jobs/gate/free_permits.hpp"
#include "quarry/jobs/impl/atomics.hpp"
#include "quarry/jobs/lane.hpp"

namespace quarry::impl {

// Permits, and jobs that wait for one. Whoever gives a permit or brings a job attends to the gate: pairs what there is.
// One thread at a time does so; another one that comes meanwhile leaves word and goes, and the first goes round once
// more. So nobody waits for anybody here. See README.md.
//
// Jobs says what the gate has to know of a job and what it does with it:
//   Job, Plain link:      next(Job&), set_next(Job&, Job*)
//   level(Job&):          its priority now
//   must_go(Job&):        whether it is to be given up instead of waiting
//   give_up(Job&)         and forgets it
//   grant(Job&, permit):    queues it with the permit, and forgets it. False: it was cancelled meanwhile, and is
//   forgotten.
template <class Policy, class Jobs>
class Gate {
  public:
    using Job = typename Jobs::Job;
    static constexpr std::uint32_t kNoPermit = FreePermits<Policy>::kNone;

    Gate(std::uint32_t permits, Jobs jobs) : jobs_(jobs), free_(permits) {}

    // For a thread that holds a job which has not waited here: only if none waits, so that nobody is overtaken.
    std::uint32_t try_take_if_none_waits() noexcept {
        return waiting_.load(std::memory_order_relaxed) != 0 ? kNoPermit : free_.try_take();
    }

    void give(std::uint32_t permit) noexcept { give(&permit, 1); }
    void give(const std::uint32_t* permits, std::size_t count) noexcept {
        free_.give(permits, count);
        // Pairs with wait(): the job is counted, then the permits are looked at.
        if (waiting_.load(Policy::order(Mutation::gate_waiting, std::memory_order_seq_cst)) != 0) attend();
    }

    // The job is queued again when there is a permit for it, or given up; perhaps before this returns.
    void wait(Job& job) noexcept {
        waiting_.fetch_add(1, Policy::order(Mutation::gate_wait, std::memory_order_seq_cst));
        Job* newest = arrived_.load(std::memory_order_relaxed);
        do {
            jobs_.set_next(job, newest);
        } while (!arrived_.compare_exchange_weak(
            newest, &job, Policy::order(Mutation::gate_arrive, std::memory_order_release), std::memory_order_relaxed));
        Policy::step(Mutation::gate_recheck, [this] { attend(); });
    }

    // The answer of must_go may have changed.
    void look_who_must_go() noexcept {
        (void)sweep_.exchange(true, Policy::order(Mutation::gate_sweep, std::memory_order_release));
        attend();
    }
    // A job that waits may have been raised: the next time a permit is given, they are put in order again.
    void note_raise() noexcept {
        (void)raised_.exchange(true, Policy::order(Mutation::gate_raise, std::memory_order_release));
    }

    std::uint32_t waiting_hint() const noexcept { return waiting_.load(std::memory_order_relaxed); }

  private:
    // First in, first out.
    struct Line {
        typename Policy::template Plain<Job*> oldest;
        typename Policy::template Plain<Job*> newest;
    };

    void attend() noexcept {
        const auto word = Policy::order(Mutation::gate_leave_word, std::memory_order_acq_rel);
        if (requests_.fetch_add(1, word) != 0) return;
        auto&& requests = Policy::at_once(Mutation::gate_one_round, requests_);
        std::uint32_t seen = 1;
        do {
            pass();
        } while (!requests.compare_exchange_strong(seen, 0,
                                                   Policy::order(Mutation::gate_hand_on, std::memory_order_acq_rel),
                                                   Policy::order(Mutation::gate_again, std::memory_order_acquire)));
    }

    void pass() noexcept {
        take_in();
        if (was_set(sweep_)) sort_anew(true);
        if (was_set(raised_)) sort_anew(false);
        std::uint32_t permit = kNoPermit;
        while (Line* const line = first_line()) {
            if (permit == kNoPermit) permit = free_.try_take();
            if (permit == kNoPermit) return;
            if (jobs_.grant(take_from(*line), permit)) permit = kNoPermit;
        }
        if (permit != kNoPermit) free_.give(permit);
    }

    // Whoever takes a flag back sees what those who set it did before.
    static bool was_set(typename Policy::template Atomic<bool>& flag) noexcept {
        return flag.load(std::memory_order_relaxed) &&
               flag.exchange(false, Policy::order(Mutation::gate_flag, std::memory_order_acquire));
    }

    // Those who came are found newest first.
    void take_in() noexcept {
        if (arrived_.load(std::memory_order_relaxed) == nullptr) return;
        Job* job = arrived_.exchange(nullptr, Policy::order(Mutation::gate_take_in, std::memory_order_acquire));
        Job* oldest = nullptr;
        while (job != nullptr) {
            Job* const next = jobs_.next(*job);
            jobs_.set_next(*job, oldest);
            oldest = job;
            job = next;
        }
        while (oldest != nullptr) {
            Job& next = *oldest;
            oldest = jobs_.next(next);
            line_up(next, true);
        }
    }

    void line_up(Job& job, bool look_whether_it_goes) noexcept {
        if (look_whether_it_goes && jobs_.must_go(job)) {
            waiting_.fetch_sub(1, std::memory_order_relaxed);
            jobs_.give_up(job);
            return;
        }
        Line& line = lines_[static_cast<std::size_t>(jobs_.level(job))];
        jobs_.set_next(job, nullptr);
        if (Job* const newest = line.newest.get()) {
            jobs_.set_next(*newest, &job);
        } else {
            line.oldest.set(&job);
        }
        line.newest.set(&job);
    }

    // Within a level those who were there before stay in front of those who were raised.
    void sort_anew(bool look_who_goes) noexcept {
        for (std::size_t level = lines_.size(); level-- > 0;) {
            Job* job = lines_[level].oldest.get();
            lines_[level].oldest.set(nullptr);
            lines_[level].newest.set(nullptr);
            while (job != nullptr) {
                Job& each = *job;
                job = jobs_.next(each);
                line_up(each, look_who_goes);
            }
        }
    }

    Line* first_line() noexcept {
        for (std::size_t level = lines_.size(); level-- > 0;) {
            if (lines_[level].oldest.get() != nullptr) return &lines_[level];
        }
        return nullptr;
    }

    Job& take_from(Line& line) noexcept {
        Job& job = *line.oldest.get();
        line.oldest.set(jobs_.next(job));
        if (line.oldest.get() == nullptr) line.newest.set(nullptr);
        waiting_.fetch_sub(1, std::memory_order_relaxed);
        return job;
    }

    Jobs jobs_;
    FreePermits<Policy> free_;
    alignas(128) typename Policy::template Atomic<std::uint32_t> waiting_{0};  // that came and were not taken out
    typename Policy::template Atomic<Job*> arrived_{nullptr};                  // newest first
    typename Policy::template Atomic<std::uint32_t> requests_{0};
    typename Policy::template Atomic<bool> sweep_{false};
    typename Policy::template Atomic<bool> raised_{false};
    // Of whoever attends.
    std::array<Line, kPriorities> lines_;
};

}  // namespace quarry::impl
