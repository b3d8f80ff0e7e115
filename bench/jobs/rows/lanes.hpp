#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "jobs/rows/context.hpp"
#include "jobs/rows/fork.hpp"
#include "jobs/rows/wake.hpp"

// How long a job of the frame waits for its start while other lanes of the same pool are full. A thread outside hands
// one over every millisecond and sleeps in between. A lanes type has
//   a constructor from the number of workers, of two, that are reserved for the frame
//   hand_over(job)
//   kHasBackground, kHasIo; where one of them is true: submit(OtherLane, job), from any thread
namespace quarry::bench {

inline constexpr int kLanesWorkers = 2;
inline constexpr int kLanesIoThreads = 4;
inline constexpr std::int64_t kFloodJobNs = 100'000;
inline constexpr std::int64_t kFrameEveryNs = 1'000'000;

enum class OtherLane { background, io };

// Jobs of one lane that are there again as soon as they have ended: more than the lane has threads, until the end.
// Those of the background compute, those of the I/O lane sleep.
template <class Lanes>
class Flood {
  public:
    Flood(Lanes& lanes, OtherLane lane) : lanes_(lanes), lane_(lane) {
        for (int job = 0; job < kJobs; ++job) submit_one();
    }
    Flood(const Flood&) = delete;
    Flood& operator=(const Flood&) = delete;
    ~Flood() {
        stop_ = true;
        while (left_ != 0) std::this_thread::yield();
    }
    std::uint64_t ran() const { return ran_; }

  private:
    static constexpr int kJobs = 50;

    void submit_one() {
        lanes_.submit(lane_, [this] { run_one(); });
    }
    void run_one() {
        ++ran_;
        if (stop_) {
            --left_;
            return;
        }
        const std::int64_t until = now_ns() + kFloodJobNs;
        lane_ == OtherLane::io ? sleep_until_ns(until) : spin_until_ns(until);
        submit_one();
    }

    Lanes& lanes_;
    const OtherLane lane_;
    std::atomic<bool> stop_{false};
    std::atomic<int> left_{kJobs};
    std::atomic<std::uint64_t> ran_{0};
};

template <class Lanes>
void frame_series(Lanes& lanes, RowContext& context, const char* name) {
    wake_series(lanes, kFrameEveryNs, false, 20);
    const WakeSeries series = wake_series(lanes, kFrameEveryNs, false, context.quick ? 150 : 500);
    require(series.lost == 0, "lanes: a job of the frame did not start by itself");
    context.add_samples(name, series.delays_us);
}

template <class Lanes>
void flooded_series(Lanes& lanes, RowContext& context, const char* name, OtherLane lane) {
    const Flood<Lanes> flood(lanes, lane);
    const std::uint64_t before = flood.ran();
    frame_series(lanes, context, name);
    require(flood.ran() > before, "lanes: the other lane stood still");
}

template <class Lanes>
void run_lanes(RowContext& context) {
    {
        Lanes lanes(1);
        frame_series(lanes, context, "lanes_quiet");
        if constexpr (Lanes::kHasBackground) {
            flooded_series(lanes, context, "lanes_background", OtherLane::background);
        }
        if constexpr (Lanes::kHasIo) flooded_series(lanes, context, "lanes_io", OtherLane::io);
    }
    if constexpr (Lanes::kHasBackground) {
        Lanes lanes(0);
        flooded_series(lanes, context, "lanes_unreserved", OtherLane::background);
    }
}

}  // namespace quarry::bench
