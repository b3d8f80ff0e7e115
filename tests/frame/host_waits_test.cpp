// The host's thread never waits for what only the host can give: a delivery, or a job of its own lane.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "quarry/frame/inbox.hpp"
#include "quarry/jobs/coro.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/bookkeeping.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace std::chrono_literals;
using namespace test_support;

constexpr std::size_t kCapacity = 8;
constexpr std::size_t kBeyond = 5 * kCapacity;

coro<int> answer() {
    co_return 42;
}

// Runs a host on a thread of its own. If it is still there after some seconds it waits for itself: then the pool is
// destroyed, which throws it out, and the test has failed.
template <class Host>
void expect_to_return(std::unique_ptr<Pool>& pool, Host host) {
    std::atomic<bool> returned{false};
    std::atomic<bool> thrown_out{false};
    std::jthread thread([&] {
        try {
            host(*pool);
        } catch (const Error&) {
            thrown_out = true;
        }
        returned = true;
    });
    const bool in_time = eventually([&] { return returned.load(); }, 10s);
    EXPECT_TRUE(in_time) << "the host waits for itself";
    if (!in_time) pool.reset();
    thread.join();
    EXPECT_FALSE(thrown_out.load());
}

TEST(HostWaits, PlainSubmitNeedsNoDeliveryOfTheSameThread) {
    for (const Lane lane : {Lane::frame, Lane::background, Lane::io}) {
        auto pool = std::make_unique<Pool>(PoolOptions{.workers = 2, .queue_capacity = kCapacity});
        std::atomic<std::size_t> ran{0};
        expect_to_return(pool, [&](Pool& in) {
            Inbox<int> inbox({.slots = 2});
            for (std::size_t i = 0; i < 2 + kBeyond; ++i) inbox.submit(in, [] { return 1; }, {.lane = lane});
            EXPECT_TRUE(eventually([&] { return inbox.jobs_waiting() == kBeyond; }));
            for (std::size_t i = 0; i < 3 * kCapacity; ++i) in.submit([&] { ++ran; }, {.lane = lane});
            EXPECT_EQ(in.start(answer(), {.lane = lane}).get(), 42);
            EXPECT_TRUE(in.submit([] { return true; }, {.lane = lane}).get());
            std::size_t delivered = 0;
            EXPECT_TRUE(eventually([&] {
                delivered += inbox.deliver(1ms, [](int) {}).delivered;
                return delivered == 2 + kBeyond;
            }));
        });
        if (pool == nullptr) return;
        EXPECT_TRUE(eventually([&] { return ran == 3 * kCapacity; }));
        EXPECT_TRUE(adds_up(*pool));
    }
}

// The bound for jobs that deliver is the lane's capacity, wherever they wait; others have the whole queue beside them.
TEST(HostWaits, JobsAtTheGateLeaveTheQueueToOthersButNotToTheirOwnKind) {
    std::atomic<bool> busy{false};
    std::atomic<bool> release{false};
    Pool pool({.workers = 1, .queue_capacity = kCapacity});
    Inbox<int> inbox({.slots = 1});
    const InboxSlot<int> taken = inbox.try_take_slot();
    std::size_t accepted = 0;
    EXPECT_TRUE(eventually([&] {
        if (inbox.try_submit(pool, [] { return 1; })) ++accepted;
        return inbox.jobs_waiting() == kCapacity;
    }));
    EXPECT_EQ(accepted, kCapacity);
    EXPECT_FALSE(inbox.try_submit(pool, [] { return 1; }));
    pool.submit([&] {
        busy = true;
        while (!release) std::this_thread::yield();
    });
    EXPECT_TRUE(eventually([&] { return busy.load(); }));
    std::size_t plain = 0;
    while (pool.try_submit([] {})) ++plain;
    EXPECT_EQ(plain, kCapacity);
    release = true;
}

// All room for jobs that deliver comes back, however they end: run at once, after a wait, cancelled before or at the
// gate, or given up with their inbox.
TEST(HostWaits, RoomOfJobsThatDeliverComesBackHoweverTheyEnd) {
    Pool pool({.workers = 1, .queue_capacity = kCapacity});
    for (int round = 0; round < 50; ++round) {
        Inbox<int> inbox({.slots = 2});
        std::size_t accepted = 0;
        EXPECT_TRUE(eventually([&] {
            auto task = inbox.try_submit(pool, [] { return 1; });
            if (task && accepted++ % 3 == 0) task->cancel();
            return accepted == 4 * kCapacity || inbox.deliver(1us, [](int) {}).delivered > 100;
        })) << "round "
            << round << ", accepted " << accepted;
    }
    EXPECT_TRUE(adds_up(pool));
}

// The worker waits for a job of the host's lane, so it makes no room: the host's thread would wait for ever.
TEST(HostWaits, PlainSubmitDoesNotWaitForAWorkerThatWaitsForTheHost) {
    auto pool = std::make_unique<Pool>(PoolOptions{.workers = 1, .queue_capacity = 2});
    std::atomic<int> ran{0};
    expect_to_return(pool, [&](Pool& in) {
        in.adopt_host_thread();
        std::atomic<bool> asked{false};
        in.submit([&] {
            Task<int> from_host = in.submit([] { return 7; }, {.lane = Lane::host});
            asked = true;
            ran += from_host.get() == 7 ? 1 : 0;
        });
        EXPECT_TRUE(eventually([&] { return asked.load(); }));
        for (int i = 0; i < 10; ++i) in.submit([&] { ++ran; });
        EXPECT_TRUE(eventually([&] {
            in.run_host_jobs();
            return ran == 11;
        }));
    });
}

// The same when the host's thread sleeps for room already.
TEST(HostWaits, HostThatWaitsForRoomIsWokenByAJobOfItsLane) {
    for (int round = 0; round < 20; ++round) {
        auto pool = std::make_unique<Pool>(PoolOptions{.workers = 1, .queue_capacity = 1});
        std::atomic<int> ran{0};
        expect_to_return(pool, [&](Pool& in) {
            in.adopt_host_thread();
            std::atomic<bool> begun{false};
            in.submit([&] {
                begun = true;
                std::this_thread::sleep_for(2ms);
                ran += in.submit([] { return 7; }, {.lane = Lane::host}).get() == 7 ? 1 : 0;
            });
            EXPECT_TRUE(eventually([&] { return begun.load(); }));
            for (int i = 0; i < 3; ++i) in.submit([&] { ++ran; });
            EXPECT_TRUE(eventually([&] {
                in.run_host_jobs();
                return ran == 4;
            }));
        });
        if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace quarry
