// Coroutines without memory, and what they need of it. Part of the program that counts allocations.
#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include <gtest/gtest.h>

#include "quarry/jobs/coro.hpp"
#include "tests/jobs/counting_allocator.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

// Not inlined: else Clang may put the frame on the caller's stack.
[[gnu::noinline]] coro<int> number(int value) {
    co_return value;
}

template <class Call>
bool is_refused(Call call) {
    try {
        const RefuseAllocations refuse;
        call();
    } catch (const std::bad_alloc&) {
        return true;
    }
    return false;
}

TEST(CoroAllocation, WithoutMemoryForItsFrameTheCallThrows) {
    EXPECT_TRUE(is_refused([] { (void)number(1); }));
    Pool pool(1);
    const auto calls = []() -> coro<int> {
        const bool refused = is_refused([] { (void)number(1); });
        co_return (refused ? 10 : 0) + co_await number(1);
    };
    EXPECT_EQ(pool.start(calls()).get(), 11);
}

TEST(CoroAllocation, StartThatIsRefusedLeavesTheCoroutineWithTheCaller) {
    Pool pool(1);
    coro<int> waiting = number(5);
    EXPECT_TRUE(is_refused([&] { (void)pool.start(std::move(waiting)); }));
    ASSERT_TRUE(waiting.valid());
    EXPECT_EQ(pool.start(std::move(waiting)).get(), 5);
    const WorkerStats total = pool.stats().total;
    EXPECT_EQ(total.spawned, total.completed);
}

TEST(CoroAllocation, HopsDoNotAllocateOnceWarm) {
    Pool pool(2);
    const auto hops = [&](int count) -> coro<std::uint64_t> {
        const std::uint64_t before = allocation_count();
        for (int i = 0; i < count; ++i) {
            co_await pool.schedule(i % 3 == 0 ? Lane::background : i % 3 == 1 ? Lane::frame : Lane::io);
            co_await pool.submit([] {});
        }
        co_return allocation_count() - before;
    };
    // A schedule that has not been before may need more nodes of jobs (steady_allocations.hpp).
    std::uint64_t least = ~std::uint64_t{0};
    for (int tries = 0; tries < 100 && least != 0; ++tries) least = std::min(least, pool.start(hops(2000)).get());
    EXPECT_EQ(least, 0U);
}

}  // namespace
}  // namespace quarry
