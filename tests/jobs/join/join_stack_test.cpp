// How deep the stack gets under recursion by join while thieves are at work.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>

#include <gtest/gtest.h>

#include "quarry/jobs/join.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

// What a level of join may take beyond the plain call, in bytes, as docs/guide/jobs.md has it: the frame of the second
// closure, the pair of results and, on the levels whose second closure was stolen, waiting for it and running a
// descendant meanwhile.
constexpr std::size_t kMostBytesPerLevel = kFullSpeed ? 256 : 3000;
constexpr int kLevels = kFullSpeed ? 20'000 : 1'500;
constexpr int kRounds = kFullSpeed ? 20 : 5;
constexpr std::uint64_t kLeastStolen = kFullSpeed ? 500 : 50;

// Stack in use below the point where this thread entered its first level.
thread_local std::uintptr_t stack_base = 0;
std::atomic<std::size_t> deepest{0};

[[gnu::noinline]] void note_depth() {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (stack_base < here) stack_base = here;
    const std::size_t depth = stack_base - here;
    std::size_t seen = deepest.load(std::memory_order_relaxed);
    while (seen < depth && !deepest.compare_exchange_weak(seen, depth, std::memory_order_relaxed)) {
    }
}

void small_work() {
    spin_for(std::chrono::nanoseconds(300));
}

[[gnu::noinline]] int plain(int level) {
    note_depth();
    if (level == 0) return 0;
    small_work();
    int result = plain(level - 1) + 1;
    asm volatile("" : "+r"(result));  // or it becomes a loop
    return result;
}

[[gnu::noinline]] int deep_in_first(int level) {
    note_depth();
    if (level == 0) return 0;
    return join([&] { return deep_in_first(level - 1); }, [] { small_work(); }).first + 1;
}

[[gnu::noinline]] int deep_in_second(int level) {
    note_depth();
    if (level == 0) return 0;
    return join([] { small_work(); }, [&] { return deep_in_second(level - 1); }).second + 1;
}

// Two long branches at every level, of which one is short of work soon: waits happen at any depth.
[[gnu::noinline]] int deep_in_both(int level) {
    note_depth();
    if (level <= 0) return 0;
    const auto [a, b] =
        join([&] { return deep_in_both(level - 1); }, [&] { return level % 64 == 0 ? deep_in_both(level / 64) : 0; });
    return std::max(a, b) + 1;
}

template <class Recursion>
std::size_t bytes_per_level(Pool& pool, Recursion recursion) {
    deepest = 0;
    stack_base = 0;
    for (int round = 0; round < kRounds; ++round) {
        const auto result = pool.join(
            [&] {
                stack_base = 0;
                return recursion(kLevels);
            },
            [] { stack_base = 0; });
        EXPECT_EQ(result.first, kLevels);
    }
    return deepest.load() / kLevels;
}

TEST(JoinStack, TwentyThousandLevelsNeedThePlainStackPlusAConstantPerLevel) {
    Pool pool(4);
    deepest = 0;
    stack_base = 0;
    EXPECT_EQ(plain(kLevels), kLevels);
    const std::size_t plain_bytes = deepest.load() / kLevels;
    const std::size_t limit = plain_bytes + kMostBytesPerLevel;
    const PoolStats before = pool.stats();
    const std::size_t first = bytes_per_level(pool, deep_in_first);
    const std::size_t second = bytes_per_level(pool, deep_in_second);
    std::size_t both = bytes_per_level(pool, deep_in_both);
    // On a busy machine the thieves may not get to run at first.
    for (int more = 0; more < 100 && pool.stats().since(before).total.stolen < kLeastStolen; ++more) {
        both = std::max(both, bytes_per_level(pool, deep_in_both));
    }
    RecordProperty("stolen", static_cast<int>(pool.stats().since(before).total.stolen));
    RecordProperty("plain", static_cast<int>(plain_bytes));
    RecordProperty("first", static_cast<int>(first));
    RecordProperty("second", static_cast<int>(second));
    RecordProperty("both", static_cast<int>(both));
    EXPECT_LE(first, limit);
    EXPECT_LE(second, limit);
    EXPECT_LE(both, limit);
    EXPECT_GE(pool.stats().since(before).total.stolen, kLeastStolen) << "too few thieves were at work";
}

// What a scope in a job of a scope takes, as docs/guide/jobs.md has it: the scope, the wait for it and the job that the
// waiting thread runs.
constexpr std::size_t kMostBytesPerScope = kFullSpeed ? 1024 : 8192;
constexpr int kNestedScopes = kFullSpeed ? 5'000 : 200;

void nest_scopes(Pool& pool, int level) {
    note_depth();
    if (level == 0) return;
    pool.scope([&pool, level](Scope& scope) { scope.spawn([&pool, level] { nest_scopes(pool, level - 1); }); });
}

TEST(ScopeStack, NestedScopesNeedAKibibyteALevelAtMost) {
    std::atomic<bool> release{false};
    std::atomic<bool> busy{false};
    Pool pool(1);
    deepest = 0;
    stack_base = 0;
    // The only worker takes none of them: all are on this thread's stack.
    pool.submit([&] {
        busy = true;
        while (!release) std::this_thread::yield();
    });
    ASSERT_TRUE(eventually([&] { return busy.load(); }));
    nest_scopes(pool, kNestedScopes);
    release = true;
    const std::size_t bytes = deepest.load() / kNestedScopes;
    RecordProperty("bytes", static_cast<int>(bytes));
    std::printf("%zu bytes a nested scope\n", bytes);
    EXPECT_LE(bytes, kMostBytesPerScope);
}

}  // namespace
}  // namespace quarry
