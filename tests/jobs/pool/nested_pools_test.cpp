// Threads that take part in several pools at once: a job of one waits, or submits, as guest of another (R4, R59).
#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <memory>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>

#include "jobs/pool/pool_core.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/scope.hpp"
#include "quarry/jobs/task.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

enum class Ends { task, pool };

// Lane of the job that waits; what it waits for; whether the scope's thread sleeps by then.
class WaitInAnotherPool : public testing::TestWithParam<std::tuple<Lane, Ends, bool>> {};
INSTANTIATE_TEST_SUITE_P(Jobs, WaitInAnotherPool,
                         testing::Combine(testing::Values(Lane::frame, Lane::background),
                                          testing::Values(Ends::task, Ends::pool), testing::Bool()));

// A task of the second pool opens a scope of the first. A job of the first spawns into that scope and then waits for
// the task: the spawned job is in the queue of a worker that sleeps as guest of the second pool, and nobody else is
// free.
TEST_P(WaitInAnotherPool, HidesNothingThatItsWorkerHolds) {
    // By name: a lambda of Clang 14 cannot capture a structured binding.
    const auto lane = std::get<0>(GetParam());
    const auto waits_for = std::get<1>(GetParam());
    const bool scope_sleeps = std::get<2>(GetParam());
    std::promise<void> spawned_ran;
    std::atomic<bool> released{false};
    std::atomic<Scope*> open{nullptr};
    std::atomic<bool> held_open{false};
    std::atomic<bool> spawned{false};
    std::atomic<bool> waited{false};
    Pool first(2);
    auto second = std::make_unique<Pool>(1);
    Task<void> task = second->submit([&] {
        first.scope([&](Scope& scope) {
            scope.spawn([&] {
                held_open = true;
                held_open.notify_one();
                released.wait(false);
            });
            EXPECT_TRUE(eventually([&] { return held_open.load(); }));
            open = &scope;
            EXPECT_TRUE(scope_sleeps || eventually([&] { return spawned.load(); }));
        });
    });
    held_open.wait(false);
    first.submit(
        [&] {
            EXPECT_TRUE(eventually([&] { return open.load() != nullptr; }));
            EXPECT_TRUE(!scope_sleeps || eventually(all_others_sleep));
            open.load()->spawn([&] { spawned_ran.set_value(); });
            spawned = true;
            if (waits_for == Ends::task) {
                task.wait();
            } else {
                second.reset();
            }
            waited = true;
            waited.notify_one();
        },
        {.lane = lane});
    const auto outcome = spawned_ran.get_future().wait_for(std::chrono::seconds(10));
    EXPECT_EQ(outcome, std::future_status::ready) << "nobody found the job";
    released = true;
    released.notify_all();
    waited.wait(false);
}

// R4: what a job of a pool submits is run, also while the pool is being destroyed.
TEST(NestedPools, JobMaySubmitToItsEndingPoolFromWithinAnother) {
    std::atomic<int> ran{0};
    Pool other(1);
    auto ending = std::make_unique<Pool>(1);
    ending->submit([&ran, &other, &pool = *ending] {
        EXPECT_TRUE(eventually([&] { return pool.core().ledger.drain.is_stopping(); }));
        other.scope([&](Scope&) { EXPECT_NO_THROW(pool.submit([&ran] { ++ran; })); });
        other.join([&] { EXPECT_NO_THROW(pool.submit([&ran] { ++ran; })); }, [] {});
    });
    ending.reset();
    EXPECT_EQ(ran.load(), 2);
}

class NestedPoolsDeath : public testing::Test {
  protected:
    // Starts the program again, so that the child has no threads but its own.
    NestedPoolsDeath() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(NestedPoolsDeath, PoolDestroyedInsideItsOwnScopeBeneathAnothersSaysSoAndTerminates) {
    const auto destroy_beneath = [] {
        auto* pool = new Pool(1);
        Pool other(1);
        pool->scope([&](Scope&) { other.scope([&](Scope&) { delete pool; }); });
    };
    EXPECT_EXIT(destroy_beneath(), testing::KilledBySignal(SIGABRT), "destroyed by one of its own jobs");
}

}  // namespace
}  // namespace quarry
