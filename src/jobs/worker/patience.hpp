#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "jobs/os/os.hpp"

namespace quarry::impl {

// When an owner looks again while somebody is hungry and its last offer stands, or nobody could take it. Where polls
// follow each other within nanoseconds looking at each one would cost more than the work, so it lets some pass. But
// only as long as nobody goes to sleep hungry: from then on it may be needed, however many polls it wanted to let pass.
class Patience {
  public:
    static constexpr std::int32_t kMostPolls = 64;
    static constexpr std::uint64_t kSoonNanoseconds = 1000;

    // At each poll. sleeps: how often a thread of the pool has gone to sleep hungry. word: the pool's counters.
    bool lets_pass(std::uint64_t sleeps, std::int64_t word) noexcept {
        if (sleeps != seen_sleeps_) return false;
        if (word == futile_word_) return true;
        return --polls_left_ >= 0;
    }
    // Before the look: who goes to sleep after this is noticed.
    void look(std::uint64_t sleeps) noexcept {
        if (sleeps != seen_sleeps_) lose();
        seen_sleeps_ = sleeps;
        polls_left_ = 0;
    }
    // An offer stands, and somebody is awake or was woken for it.
    void offer_stands() noexcept {
        const std::uint64_t now = os::ticks();
        const bool soon = (now - last_look_) * 1000 < kSoonNanoseconds * os::ticks_per_microsecond();
        last_look_ = now;
        polls_ = soon ? std::min(polls_ * 4, kMostPolls) : 1;
        polls_left_ = polls_;
    }
    // None of those who are hungry by these counters can take what there is to offer.
    void nobody_can_take_it(std::int64_t word) noexcept { futile_word_ = word; }
    std::int64_t futile_word() const noexcept { return futile_word_; }
    bool is_futile(std::int64_t word) const noexcept { return word == futile_word_; }
    void lose() noexcept {
        polls_ = 1;
        polls_left_ = 0;
        futile_word_ = 0;
    }

  private:
    std::int32_t polls_ = 1;
    std::int32_t polls_left_ = 0;
    std::int64_t futile_word_ = 0;
    std::uint64_t seen_sleeps_ = 0;
    std::uint64_t last_look_ = 0;
};

}  // namespace quarry::impl
