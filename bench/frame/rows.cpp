#include "frame/rows.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <quarry/frame/frame_clock.hpp>
#include <quarry/frame/frame_ledger.hpp>
#include <quarry/frame/inbox.hpp>
#include <quarry/jobs/pool.hpp>

#include "jobs/engine_bare.hpp"
#include "jobs/measure.hpp"

namespace quarry::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kEmptyFrames = 20'000;
constexpr int kResults = 1'000;
constexpr auto kBudget = 2ms;
constexpr int kFrameJobs = 20;
constexpr std::uint64_t kFrameJobMicroseconds = 20;
constexpr std::size_t kHundredth = 100;

// What a host without an engine would pass results through.
class BareBox {
  public:
    void put(std::uint64_t value) {
        const std::lock_guard lock(mutex_);
        values_.push_back(value);
    }
    bool empty() {
        const std::lock_guard lock(mutex_);
        return values_.empty();
    }
    std::vector<std::uint64_t> take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(values_, {});
    }

  private:
    std::mutex mutex_;
    std::vector<std::uint64_t> values_;
};

double each(std::int64_t nanoseconds, int count) {
    return static_cast<double>(nanoseconds) / count;
}

double empty_frame(int workers) {
    Pool pool(workers);
    Inbox<std::uint64_t> inbox;
    FrameClock clock(60);
    FrameLedger ledger({.hertz = 60});
    std::uint64_t sum = 0;
    const std::int64_t start = now_ns();
    for (int frame = 0; frame < kEmptyFrames; ++frame) {
        const auto now = FrameClock::Clock::now();
        const FrameSteps steps = clock.advance(now);
        keep(sum);
        ledger.note(steps);
        ledger.begin_frame(now);
        inbox.deliver(kBudget, [&](std::uint64_t value) { sum += value; });
        ledger.end_frame();
    }
    return each(now_ns() - start, kEmptyFrames);
}

double bare_empty_frame(int) {
    BareBox box;
    std::int64_t sum = 0;
    const std::int64_t start = now_ns();
    for (int frame = 0; frame < kEmptyFrames; ++frame) {
        const std::int64_t begin = now_ns();
        if (!box.empty()) sum = 0;
        sum += now_ns() - begin;
        keep(sum);
    }
    return each(now_ns() - start, kEmptyFrames);
}

// The hand-over to the host on its own. Both sides one after the other, so that neither waits for the other: what
// the worker spends, and what the host does.
double hand_over(int workers) {
    Pool pool(workers);
    Inbox<std::uint64_t> inbox({.slots = kResults});
    std::uint64_t sum = 0;
    std::int64_t spent = 0;
    constexpr int kRounds = 20;
    for (int round = 0; round <= kRounds; ++round) {
        Task<std::int64_t> puts = pool.submit([&] {
            const std::int64_t start = now_ns();
            for (std::uint64_t value = 0; value < kResults; ++value) inbox.try_put(std::uint64_t{value});
            return now_ns() - start;
        });
        while (!puts.ready()) relax();
        const std::int64_t put = puts.get();
        const std::int64_t start = now_ns();
        inbox.deliver(DeliveryBudget::everything(), [&](std::uint64_t value) { sum += value; });
        // The first round warms the slots up.
        if (round != 0) spent += put + now_ns() - start;
    }
    keep(sum);
    return each(spent, kRounds * kResults);
}

double bare_hand_over(int) {
    BareBox box;
    std::uint64_t sum = 0;
    std::int64_t spent = 0;
    constexpr int kRounds = 20;
    for (int round = 0; round <= kRounds; ++round) {
        std::atomic<std::int64_t> put{0};
        std::thread worker([&] {
            const std::int64_t start = now_ns();
            for (std::uint64_t value = 0; value < kResults; ++value) box.put(value);
            put = now_ns() - start;
        });
        worker.join();
        const std::int64_t start = now_ns();
        for (const std::uint64_t value : box.take()) sum += value;
        if (round != 0) spent += put + now_ns() - start;
    }
    keep(sum);
    return each(spent, kRounds * kResults);
}

// A quarter to a whole hundredth of the budget.
void apply(std::uint64_t number) {
    const auto most = static_cast<std::uint64_t>(std::chrono::microseconds(kBudget).count() / 100);
    std::uint64_t value = chain(chain_steps_per_us() * (most / 4 + number % (most * 3 / 4)), number);
    keep(value);
}

double distance_from_budget(std::chrono::nanoseconds spent) {
    return std::abs(std::chrono::duration<double>(spent) / std::chrono::duration<double>(kBudget) - 1) * 100;
}

double budget(int) {
    Inbox<std::uint64_t> inbox({.slots = kResults});
    for (std::uint64_t value = 0; value < kResults; ++value) inbox.try_put(std::uint64_t{value});
    apply(0);
    const std::int64_t start = now_ns();
    inbox.deliver(kBudget, apply);
    return distance_from_budget(std::chrono::nanoseconds(now_ns() - start));
}

// It knows what it has spent, and nothing of what comes.
double bare_budget(int) {
    BareBox box;
    for (std::uint64_t value = 0; value < kResults; ++value) box.put(value);
    apply(0);
    const std::int64_t start = now_ns();
    for (const std::uint64_t value : box.take()) {
        if (std::chrono::nanoseconds(now_ns() - start) >= kBudget) break;
        apply(value);
    }
    return distance_from_budget(std::chrono::nanoseconds(now_ns() - start));
}

// Hosts start, then draw: the workers sleep before the first frame as before every other one.
template <class Frame>
double first_over_hundredth(Frame frame) {
    std::vector<std::int64_t> times;
    sleep_ns(20'000'000);
    for (std::size_t number = 1; number <= kHundredth + 10; ++number) {
        const std::int64_t start = now_ns();
        frame();
        times.push_back(now_ns() - start);
        sleep_ns(2'000'000);
    }
    // One frame alone says little of the hundredth.
    const auto around = times.begin() + kHundredth - 11;
    std::nth_element(around, around + 10, times.end());
    return static_cast<double>(times.front()) / static_cast<double>(around[10]);
}

void frame_job() {
    std::uint64_t value = chain(chain_steps_per_us() * kFrameJobMicroseconds, 1);
    keep(value);
}

double first_frame(int workers) {
    chain_steps_per_us();
    Pool pool(workers);
    Inbox<int> inbox;
    FrameLedger ledger({.hertz = 60});
    return first_over_hundredth([&] {
        ledger.begin_frame();
        int back = 0;
        for (int job = 0; job < kFrameJobs; ++job) {
            inbox.submit(pool, [job] {
                frame_job();
                return job;
            });
        }
        inbox.deliver_until(
            1s, [&] { return back == kFrameJobs; }, [&](int) { ++back; });
        ledger.end_frame();
    });
}

double bare_first_frame(int workers) {
    chain_steps_per_us();
    BareTeam team(workers);
    return first_over_hundredth([&] { team.run(kFrameJobs, [](int) { frame_job(); }); });
}

}  // namespace

std::span<const FrameRow> frame_rows() {
    static constexpr std::array<FrameRow, 4> kRows{
        FrameRow{"empty_frame", "ns", 200, "a frame in which nothing comes: clock, ledger, deliver", empty_frame,
                 bare_empty_frame},
        {"hand_over", "ns", 150, "one result of 1,000 from a worker to the host, both sides' time", hand_over,
         bare_hand_over},
        {"budget", "%", 2, "1,000 results of up to 1 % of the budget: how far from it the delivery ends", budget,
         bare_budget},
        {"first_frame", "x", 1.5, "first frame of 20 jobs over the hundredth", first_frame, bare_first_frame}};
    return kRows;
}

}  // namespace quarry::bench
