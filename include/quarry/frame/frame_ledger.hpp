#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/frame/frame_clock.hpp"
#include "quarry/frame/frame_tag.hpp"
#include "quarry/frame/fwd.hpp"
#include "quarry/frame/host_guard.hpp"
#include "quarry/frame/stale_policy.hpp"
#include "quarry/jobs/trace.hpp"

namespace quarry {

// How a FrameLedger counts.
struct FrameLedgerOptions {
    double hertz = 0;                          // how many frames a second there should be, 1 to 1000; 0: no deadline
    StalePolicy stale = StalePolicy::apply();  // which results are too old, and what becomes of them
    std::size_t history = 128;                 // frames that are remembered one by one; 1 to 65,536
    HostGuard host = {};                       // whose thread the frames are; the one that makes the options
};

// One frame, from its begin to the begin of the next.
struct FrameRecord {
    std::uint64_t frame = 0;              // 1, 2, ...
    std::uint32_t submitted = 0;          // jobs tagged with it
    std::uint32_t returned = 0;           // results that came back in it, of whatever frame
    std::uint32_t stale = 0;              // of these, the ones that were too old
    std::uint64_t latency_sum = 0;        // of these, the ages in frames, added up
    std::uint64_t missed = 0;             // deadlines that passed before it ended
    std::chrono::nanoseconds duration{};  // from begin_frame to end_frame
};

// The figures of a FrameLedger since it was made.
struct FrameLedgerStats {
    // Latencies below this many frames are counted one by one.
    static constexpr std::size_t kBuckets = 32;

    std::uint64_t frames = 0;     // begun
    std::uint64_t submitted = 0;  // jobs that were tagged
    std::uint64_t returned = 0;   // results that came back
    std::uint64_t withdrawn = 0;  // jobs that will not come back
    std::uint64_t stale = 0;      // returned too old
    std::uint64_t dropped = 0;    // of these, the ones not to be applied

    // How many frames after its own a result came back: latency[n] results after n frames, later_than_all the rest.
    std::array<std::uint64_t, kBuckets> latency{};
    std::uint64_t later_than_all = 0;
    std::uint64_t latency_sum = 0;
    std::uint64_t latency_max = 0;

    std::uint64_t overrun_frames = 0;         // took longer than a frame should
    std::uint64_t missed_frames = 0;          // deadlines that they let pass: a frame of 2.5 periods misses 2
    std::int64_t dropped_steps = 0;           // as the clock said
    std::chrono::nanoseconds dropped_time{};  // by the clock
    std::chrono::nanoseconds duration_sum{};  // of all frames that have ended
    std::chrono::nanoseconds duration_max{};  // of a frame

    // Neither returned nor withdrawn yet. Negative: more came back than went out.
    std::int64_t outstanding() const noexcept { return static_cast<std::int64_t>(submitted - returned - withdrawn); }
    // 0 where nothing has returned.
    QUARRY_API double mean_latency() const noexcept;
    QUARRY_API double stale_percent() const noexcept;
};

// The host's book of frames: which job belongs to which frame, how many frames later it came back, and whether that is
// still wanted. A frame is what the host makes one: a turn of its loop, or a fixed step.
//
// A job is counted where it is submitted, on the host's thread or on a worker's, and its result where it is applied, on
// the host's. Nothing allocates after the construction but recent(). All figures but `withdrawn` are of the host's
// thread, and all calls but submitted() and withdrawn() belong there: elsewhere they throw quarry::Error.
class FrameLedger {
  public:
    // The clock whose times it takes.
    using Clock = FrameClock::Clock;
    using time_point = FrameClock::time_point;

    // Most frames that recent() can remember.
    static constexpr std::size_t kMostHistory = 65'536;

    // Throws std::invalid_argument for an option out of range.
    QUARRY_API explicit FrameLedger(FrameLedgerOptions options = {});
    FrameLedger(const FrameLedger&) = delete;
    FrameLedger& operator=(const FrameLedger&) = delete;

    // Begins the next frame and returns its number. One that was not ended, because of an exception perhaps, ends here.
    QUARRY_API std::uint64_t begin_frame(time_point now);
    std::uint64_t begin_frame() { return begin_frame(Clock::now()); }
    // Throws quarry::Error without a frame. What happens until the next begin still belongs to this frame.
    QUARRY_API void end_frame(time_point now);
    void end_frame() { end_frame(Clock::now()); }
    // What the clock dropped, for the books.
    QUARRY_API void note(const FrameSteps& steps);

    // Any thread: one more job is submitted, in the frame that has begun last, or in number 0 before the first. At most
    // 4,294,967,295 a frame.
    FrameTag submitted() noexcept {
        return FrameTag(static_cast<std::uint32_t>(current_.fetch_add(1, std::memory_order_relaxed) >> kCountBits));
    }
    // Any thread: a job that was counted will not return, because it was refused, cancelled or has failed.
    void withdrawn(FrameTag) noexcept { withdrawn_.fetch_add(1, std::memory_order_release); }
    // A result is here. True: apply it; false: it is stale and the policy drops it. Throws quarry::Error for a tag of a
    // frame that is still to come, so of another ledger.
    [[nodiscard]] QUARRY_API bool returned(FrameTag tag);

    // The frame that has begun last, the thread it belongs to, and the options it was made with.
    std::uint64_t frame() const noexcept { return frame_; }  // the latest; 0: none yet
    const HostGuard& host() const noexcept { return options_.host; }
    const FrameLedgerOptions& options() const noexcept { return options_; }

    // The figures so far.
    QUARRY_API FrameLedgerStats stats() const;
    // The frames that are remembered, oldest first, the latest one as it is now.
    QUARRY_API std::vector<FrameRecord> recent() const;
    // Everything above as one JSON object; docs/guide/frames.md names its keys.
    QUARRY_API void write_json(std::ostream& out) const;

  private:
    static constexpr int kCountBits = 32;

    void close(time_point now) noexcept;
    void trace() const noexcept;

    // Number of the frame (its lower half) and how many jobs were submitted in it, in one word: so a job is counted in
    // exactly the frame that its tag says, whatever the host does meanwhile.
    alignas(64) std::atomic<std::uint64_t> current_{0};
    std::atomic<std::uint64_t> withdrawn_{0};

    alignas(64) FrameLedgerOptions options_;
    std::chrono::nanoseconds period_{};  // 0: no deadline
    std::uint64_t frame_ = 0;
    bool open_ = false;
    std::optional<TraceSpan> span_;  // of the frame that is open
    time_point begun_{};
    FrameLedgerStats stats_;  // without the submitted ones of the current frame, and without the withdrawn ones
    std::vector<FrameRecord> history_;  // a ring
    std::size_t place_ = 0;             // of the latest frame in it
};

}  // namespace quarry
