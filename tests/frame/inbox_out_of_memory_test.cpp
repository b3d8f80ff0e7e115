// Gated jobs when memory is refused (R26). Part of the program that replaces operator new.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>

#include <gtest/gtest.h>

#include "jobs/pool/level_list.hpp"
#include "quarry/frame/inbox.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/counting_allocator.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace std::chrono_literals;
using namespace test_support;

// As many as the list of a priority holds before it grows.
constexpr int kFullList = static_cast<int>(impl::LevelList::kFirstCapacity);

// The job is beyond the bound of its lane's queue, is raised, found by that, waits for a slot and gets one when there
// is no memory to queue it by its priority: it goes beyond the bound once more.
TEST(InboxOutOfMemory, RaisedJobThatWouldStandBeyondTheBoundTwiceLosesNobody) {
    std::atomic<bool> first_runs{false};
    std::atomic<bool> filled{false};
    std::atomic<bool> second_runs{false};
    std::atomic<bool> let_go{false};
    std::atomic<bool> last_ran{false};
    std::atomic<int> important_ran{0};
    const auto wait_for = [](const std::atomic<bool>& flag) {
        if (!eventually([&] { return flag.load(); })) std::abort();
    };
    Inbox<int> inbox({.slots = 1});
    Pool pool(PoolOptions{.workers = 1, .queue_capacity = 1});
    ASSERT_TRUE(inbox.try_put(1)) << "takes the only slot";
    // In a scope, so that nothing waits for room.
    pool.scope([&](Scope&) {
        pool.submit([&] {
            first_runs = true;
            wait_for(filled);
        });
        wait_for(first_runs);
        pool.submit([&] {
            second_runs = true;
            wait_for(let_go);
        });
        InboxTask raised = inbox.submit(pool, [] { return 2; });
        pool.submit([&] { last_ran = true; });
        ASSERT_TRUE(raised.raise(Priority::high));
        filled = true;
        wait_for(second_runs);
        ASSERT_EQ(inbox.jobs_waiting(), 1U);
        for (int i = 0; i < kFullList; ++i) pool.submit([&] { ++important_ran; }, {.priority = Priority::high});
        {
            const RefuseAllocations refuse;
            inbox.deliver(1ms, [](int) {});
        }
        ASSERT_EQ(inbox.jobs_waiting(), 0U);
        let_go = true;
    });
    wait_for(last_ran);
    int delivered = 0;
    EXPECT_TRUE(eventually([&] {
        inbox.deliver(1ms, [&](int value) { delivered += value; });
        return delivered == 2 && important_ran == kFullList;
    }));
}

}  // namespace
}  // namespace quarry
