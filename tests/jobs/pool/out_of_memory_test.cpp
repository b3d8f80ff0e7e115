// What the engine does when memory is refused (R26). Part of the program that replaces operator new.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/counting_allocator.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

void fail_to_make_a_pool() {
    const RefuseAllocations refuse(std::size_t{1} << 20);
    const Pool pool(PoolOptions{.workers = 1, .queue_capacity = Pool::kMostQueueCapacity});
}

TEST(OutOfMemory, PoolWithoutRoomForItsQueuesLeavesNothingBehind) {
    EXPECT_THROW(fail_to_make_a_pool(), std::bad_alloc);
    const std::int64_t before = live_bytes();
    for (int i = 0; i < 50; ++i) EXPECT_THROW(fail_to_make_a_pool(), std::bad_alloc);
    EXPECT_EQ(live_bytes(), before);
}

TEST(OutOfMemory, ErrorThatCanNotBeCollectedIsRethrown) {
    Pool pool(1);
    std::vector<JobError> errors;
    std::optional<RefuseAllocations> refuse;
    bool rethrown = false;
    try {
        pool.scope(
            [&](Scope&) {
                refuse.emplace();  // until after the scope has collected what its body throws
                throw 7;           // what() of a class could need memory
            },
            ScopeOptions{.errors = &errors});
    } catch (int) {
        rethrown = true;
    }
    refuse.reset();
    EXPECT_TRUE(rethrown);
    EXPECT_TRUE(errors.empty());
}

thread_local std::optional<RefuseAllocations> refuse_on_worker;

// More than the thief's deque holds at first.
TEST(OutOfMemory, ThiefThatHasNoRoomForManyJobsTakesOne) {
    constexpr int kJobs = 1000;
    std::atomic<int> ran{0};
    std::atomic<bool> all_spawned{false};
    Pool pool(PoolOptions{
        .workers = 1, .steal_batch = Pool::kMostStealBatch, .on_thread_stop = [](int) { refuse_on_worker.reset(); }});
    pool.scope([&](Scope& scope) {
        // The worker takes this one alone, and the next time finds all the others.
        scope.spawn([&] {
            refuse_on_worker.emplace();
            ++ran;
            while (!all_spawned) std::this_thread::yield();
        });
        EXPECT_TRUE(eventually([&] { return ran == 1; }));
        for (int i = 1; i < kJobs; ++i) scope.spawn([&] { ++ran; });
        all_spawned = true;
        EXPECT_TRUE(eventually([&] { return ran > 1; }));
    });
    EXPECT_EQ(ran.load(), kJobs);
}

}  // namespace
}  // namespace quarry
