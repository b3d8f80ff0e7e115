#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "quarry/jobs/lane.hpp"

namespace quarry::impl {

// Whose turn it is: the one rule by which nothing waits for ever, for a worker's search and for the host's lane.
//
// Mostly important jobs (high, urgent) go first, then the newest of one's own, then what others have. Each of these
// flows could go on for ever and keep the rest waiting, so it is counted here, and after so many it lets others pass.
// One thread at a time counts; for the host's lane that may be another one tomorrow.
class Turns {
  public:
    // After so many important jobs others go first; by turns those in the lane's queue and one's own.
    static constexpr std::uint32_t kMostImportantInARow = 60;
    // The lane's queue goes before one's own jobs once in so many turns. Half-way between the oldest job that one has
    // submitted does: a job that submits itself again and again would be the newest for ever.
    static constexpr std::uint32_t kLaneQueueFirstEvery = 61;
    static constexpr std::uint32_t kOldestFirstAt = 30;
    // After so many jobs out of a lane's queue a low one goes before the normal ones.
    static constexpr std::uint32_t kLowFirstAfter = 64;
    // After so many jobs of the frame in a row a background one goes first: 1 in 64.
    static constexpr std::uint32_t kMostFrameJobsInARow = 63;

    enum class First : std::uint8_t { newest, oldest, lane_queue };

    // The next turn, if nothing important waits.
    First next() noexcept {
        turn_ = turn_ + 1;
        return first_at(turn_);
    }
    // Takes the next turn for a job that continues the one before. False: others would be passed over, and keep it.
    bool try_go_on() noexcept { return first_at(turn_ + 1) == First::newest && (turn_ = turn_ + 1, true); }

    bool others_are_due() const noexcept { return important_ >= kMostImportantInARow; }
    void took_important() noexcept { important_ = important_ + 1; }
    void others_had_their_turn() noexcept { important_ = 0; }
    // They are due: who of them goes first this time.
    First who_of_the_others() noexcept {
        others_had_their_turn();
        lane_queue_passed_ = !lane_queue_passed_;
        return lane_queue_passed_ ? First::lane_queue : First::newest;
    }

    // Takes up to `most` jobs out of a lane's queue (as Injection::take), in the order of their priorities or, where
    // that is due, a low one. How many.
    template <class Queue, class Job>
    std::size_t take(Queue& queue, Lane lane, Job** out, std::size_t most) noexcept {
        Own<std::size_t>& since_low = since_low_[static_cast<std::size_t>(lane)];
        const bool low_first = since_low >= kLowFirstAfter;
        const std::size_t count = queue.take(out, most, low_first);
        if (count != 0) since_low = low_first ? 0 : since_low + count;
        return count;
    }

    bool background_is_due() const noexcept { return frame_jobs_ >= kMostFrameJobsInARow; }
    void background_had_its_turn() noexcept { frame_jobs_ = 0; }
    void found_in(Lane lane) noexcept { frame_jobs_ = lane == Lane::frame ? frame_jobs_ + 1 : 0; }

  private:
    // No read-modify-write: nobody else counts meanwhile.
    template <class T>
    class Own {
      public:
        operator T() const noexcept {  // NOLINT(google-explicit-constructor): it is that figure
            return value_.load(std::memory_order_relaxed);
        }
        Own& operator=(T value) noexcept {
            value_.store(value, std::memory_order_relaxed);
            return *this;
        }

      private:
        std::atomic<T> value_{};
    };

    static First first_at(std::uint32_t turn) noexcept {
        turn %= kLaneQueueFirstEvery;
        if (turn == 0) return First::lane_queue;
        return turn == kOldestFirstAt ? First::oldest : First::newest;
    }

    Own<std::uint32_t> turn_;
    Own<std::uint32_t> important_;  // since others had their turn
    Own<std::uint32_t> frame_jobs_;
    std::array<Own<std::size_t>, kLanes> since_low_;
    Own<bool> lane_queue_passed_;  // when the others were due last
};

}  // namespace quarry::impl
