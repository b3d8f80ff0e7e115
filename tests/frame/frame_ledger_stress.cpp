// Workers submit while the host turns its frames: each job is counted once, in the frame of its tag.
#include "quarry/frame/frame_ledger.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

// Tags on their way back.
class Returns {
  public:
    void put(std::vector<FrameTag>& batch) {
        const std::lock_guard lock(mutex_);
        tags_.insert(tags_.end(), batch.begin(), batch.end());
        batch.clear();
    }
    void take(std::vector<FrameTag>& all) {
        all.clear();
        const std::lock_guard lock(mutex_);
        std::swap(all, tags_);
    }

  private:
    std::mutex mutex_;
    std::vector<FrameTag> tags_;
};

struct Sums {
    std::uint64_t submitted = 0;
    std::uint64_t returned = 0;
    std::uint64_t stale = 0;
    std::uint64_t frames_of_submits = 0;  // the sum of the numbers of the frames
    std::uint64_t frames_of_returns = 0;
};

Sums sums_of(const std::vector<FrameRecord>& records) {
    Sums sums;
    for (const FrameRecord& record : records) {
        sums.submitted += record.submitted;
        sums.returned += record.returned;
        sums.stale += record.stale;
        sums.frames_of_submits += record.frame * record.submitted;
        sums.frames_of_returns += record.frame * record.returned;
    }
    return sums;
}

constexpr int kThreads = 4;

TEST(FrameLedgerStress, EachJobIsCountedInTheFrameOfItsTag) {
    constexpr std::size_t kBatch = 20;
    const std::size_t batches = scaled(1000);
    FrameLedger ledger({.stale = StalePolicy::drop_older_than(1), .history = 65'536});
    Returns returns;
    std::atomic<int> working{kThreads};
    ledger.begin_frame();
    std::vector<std::thread> workers;
    for (int i = 0; i < kThreads; ++i) {
        workers.emplace_back([&] {
            std::vector<FrameTag> batch;
            for (std::size_t k = 0; k < batches; ++k) {
                while (batch.size() < kBatch) batch.push_back(ledger.submitted());
                std::this_thread::yield();
                returns.put(batch);
            }
            --working;
        });
    }

    std::uint64_t dropped = 0;
    std::vector<FrameTag> arrived;
    const auto turn = [&] {
        if (ledger.frame() < 60'000) ledger.begin_frame();  // no more than are remembered
        returns.take(arrived);
        for (const FrameTag tag : arrived) dropped += ledger.returned(tag) ? 0U : 1U;
        std::this_thread::yield();
    };
    while (working.load() != 0) turn();
    for (std::thread& worker : workers) worker.join();
    turn();

    const std::uint64_t all = kThreads * kBatch * batches;
    const FrameLedgerStats stats = ledger.stats();
    const Sums sums = sums_of(ledger.recent());
    EXPECT_EQ(stats.submitted, all);
    EXPECT_EQ(stats.returned, all);
    EXPECT_EQ(stats.outstanding(), 0);
    EXPECT_EQ(stats.dropped, dropped);
    EXPECT_EQ(sums.submitted, all);
    EXPECT_EQ(sums.returned, all);
    EXPECT_EQ(sums.stale, dropped);
    // The ages that the tags had, against those that the records say.
    EXPECT_EQ(sums.frames_of_returns - sums.frames_of_submits, stats.latency_sum);
    EXPECT_GT(stats.frames, 1U);
}

TEST(FrameLedgerStress, WithdrawalsOfManyThreadsAddUp) {
    const std::size_t rounds = scaled(20'000);
    FrameLedger ledger;
    std::atomic<int> working{kThreads};
    std::vector<std::thread> workers;
    for (int i = 0; i < kThreads; ++i) {
        workers.emplace_back([&] {
            for (std::size_t k = 0; k < rounds; ++k) {
                const FrameTag tag = ledger.submitted();
                if (k % 2 == 0) ledger.withdrawn(tag);
            }
            --working;
        });
    }
    while (working.load() != 0) {
        ledger.begin_frame();
        ASSERT_GE(ledger.stats().outstanding(), 0) << "nothing is withdrawn before it is submitted";
        ledger.end_frame();
    }
    for (std::thread& worker : workers) worker.join();
    EXPECT_EQ(ledger.stats().submitted, kThreads * rounds);
    EXPECT_EQ(ledger.stats().outstanding(), static_cast<std::int64_t>(kThreads * rounds / 2));
}

}  // namespace
}  // namespace quarry
