#pragma once

#include <cstddef>
#include <cstdint>

#include "jobs/parking/parker.hpp"
#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

// Sleep and wake of idle workers by one packed word of counters. See README.md for the protocol and its argument.
//
//   bits  0..14  sleeping   idle workers that may be woken: each is a right to wake one
//   bits 15..30  searching  idle workers that are awake and look for work
//   bits 31..63  appetite  idle workers (and workers in a wait that have nothing to do) less the guests that
//                           compute: how many more threads private work may occupy; signed
template <class Policy>
class Sleep {
  public:
    static constexpr std::int64_t kSleeping = 1;
    static constexpr std::int64_t kSearching = std::int64_t{1} << 15;
    static constexpr std::int64_t kAppetite = std::int64_t{1} << 31;

    static constexpr std::int64_t sleeping(std::int64_t word) { return word & 0x7fff; }
    static constexpr std::int64_t searching(std::int64_t word) { return (word >> 15) & 0xffff; }
    static constexpr std::int64_t appetite(std::int64_t word) { return word >> 31; }

    // Whether an owner of private work should offer some. futile: the counters with which the last offer found nobody.
    static constexpr bool wants_work(std::int64_t word, std::int64_t futile) {
        // All counters: as many may be hungry as before, but others.
        std::int64_t compared = -kAppetite;
        Policy::step(Mutation::offer_futile, [&compared] { compared = -1; });
        return appetite(word) > 0 && ((word ^ futile) & compared) != 0;
    }

    // The word itself, for those who only want a hint.
    auto& word() noexcept { return word_; }

    void add_appetite(std::int64_t change) noexcept { word_.fetch_add(change * kAppetite, std::memory_order_relaxed); }

    // The worker has found nothing in its own queues.
    void no_work_found() noexcept { word_.fetch_add(kSearching + kAppetite, std::memory_order_relaxed); }

    // The worker has found a job and stops searching. True: it was the last searcher while others sleep, so a job
    // published meanwhile relied on it: the caller looks once more, and wakes one if work is visible.
    // `others_may_sleep`: somebody who sleeps elsewhere, not counted in this word, relied on it too.
    [[nodiscard]] bool work_found(bool others_may_sleep = false) noexcept {
        const std::int64_t old = word_.fetch_sub(kSearching + kAppetite,
                                                 Policy::order(Mutation::sleep_work_found, std::memory_order_seq_cst));
        return Policy::check(Mutation::sleep_last_searcher,
                             searching(old) == 1 && (sleeping(old) > 0 || others_may_sleep));
    }

    // The searching worker sleeps until it is picked; it is a searcher again when this returns. work_visible() looks
    // at every queue with sequentially consistent loads.
    template <class WorkVisible>
    void sleep(Parker<Policy>& me, WorkVisible work_visible) {
        if (!me.prepare(Parker<Policy>::kSleeping)) return;
        word_.fetch_add(kSleeping - kSearching, Policy::order(Mutation::sleep_announce, std::memory_order_seq_cst));
        if (Policy::check(Mutation::sleep_recheck, work_visible)) {
            get_up(me);
        } else {
            me.park(Parker<Policy>::kSleeping);
        }
    }

    // A job was published before this call. The counters: a wake is needed if nobody searches and somebody sleeps
    // (crews.hpp).
    [[nodiscard]] std::int64_t new_job() noexcept {
        Policy::fence(Mutation::sleep_publish_fence, std::memory_order_seq_cst);
        return word_.load(std::memory_order_relaxed);
    }
    // The same for a job whose publisher has passed a seq_cst fence already.
    [[nodiscard]] std::int64_t counters() const noexcept { return word_.load(std::memory_order_relaxed); }

    // The end has come, and was published before this call: wake_one() wakes one, searchers or not, and says whether
    // there was one.
    template <class WakeOne>
    void wake_all(WakeOne wake_one) noexcept {
        (void)new_job();
        while (wake_one()) {
        }
    }

    // Wakes one sleeper unless a searcher is awake (unless `even_if_searching`). parker(i) for i in [0, count) are
    // all the workers' parkers. True: one was woken.
    template <class ParkerAt>
    bool wake_one(std::size_t count, std::size_t start, ParkerAt parker, bool even_if_searching = false) noexcept {
        std::int64_t word = word_.load(std::memory_order_relaxed);
        do {
            if (sleeping(word) == 0 || (!even_if_searching && searching(word) != 0)) return false;
        } while (!word_.compare_exchange_weak(word, word - kSleeping + kSearching, std::memory_order_relaxed,
                                              std::memory_order_relaxed));
        // We hold a right to wake, and there are at least as many sleepers as rights: the loop ends.
        for (std::size_t tried = 0;; ++tried) {
            auto&& sleeper = parker((start + tried) % count);
            if (sleeper.try_pick()) {
                sleeper.wake();
                return true;
            }
            if (tried % count == count - 1) Policy::cpu_relax();
        }
    }

  private:
    // Leaves the sleep before anybody picked us, by taking one right to wake and spending it on ourselves.
    void get_up(Parker<Policy>& me) noexcept {
        std::int64_t word = word_.load(std::memory_order_relaxed);
        while (sleeping(word) > 0) {
            if (!word_.compare_exchange_weak(word, word - kSleeping + kSearching, std::memory_order_relaxed,
                                             std::memory_order_relaxed)) {
                continue;
            }
            // Picked by a waker with a right of its own: ours goes back.
            if (Policy::check(Mutation::sleep_right_kept, !me.cancel(Parker<Policy>::kSleeping))) {
                word_.fetch_add(kSleeping - kSearching, std::memory_order_relaxed);
            }
            return;
        }
        // Every right is with a waker, or with another one that gets up. Either we are picked, or somebody else is
        // awake who searches in our place and looks again before it stops.
        me.park(Parker<Policy>::kSleeping);
    }

    alignas(128) typename Policy::template Atomic<std::int64_t> word_{0};
};

}  // namespace quarry::impl
