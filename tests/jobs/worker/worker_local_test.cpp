#include "quarry/jobs/worker_local.hpp"

#include <atomic>
#include <barrier>
#include <cstdint>
#include <latch>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

TEST(WorkerLocal, SumsWithoutSharingGiveTheWhole) {
    for (const int workers : {1, 2, 8}) {
        Pool pool(workers);
        WorkerLocal<std::uint64_t> sums(pool);
        parallel_for(pool, 0, 10'000, [&](int i) { sums.local() += static_cast<std::uint64_t>(i); });
        pool.scope([&](Scope& scope) {
            for (int i = 0; i < 100; ++i) scope.spawn([&] { sums.local() += 1; });
        });
        std::uint64_t total = 0;
        sums.for_each([&](std::uint64_t sum) { total += sum; });
        EXPECT_EQ(total, 9'999ULL * 10'000 / 2 + 100);
    }
}

TEST(WorkerLocal, JobsThatRunAtTheSameTimeHaveTheirOwn) {
    constexpr int kWorkers = 4;
    std::latch left(kWorkers);
    std::barrier meeting(kWorkers);
    Pool pool(kWorkers);
    WorkerLocal<int> numbers(pool, [] { return 100; });
    std::vector<int*> places(kWorkers);
    for (std::size_t i = 0; i < kWorkers; ++i) {
        pool.submit([&, i] {
            meeting.arrive_and_wait();
            places[i] = &numbers.local();
            left.count_down();
        });
    }
    left.wait();
    EXPECT_EQ(std::set<int*>(places.begin(), places.end()).size(), 4U);
    for (const int* place : places) {
        EXPECT_EQ(*place, 100);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % 128, 0U) << "on cache lines of its own";
    }
}

TEST(WorkerLocal, IsMadeOnlyForThreadsThatAsk) {
    std::atomic<int> made{0};
    Pool pool(8);
    WorkerLocal<std::unique_ptr<int>> locals(pool, [&] {
        ++made;
        return std::make_unique<int>(1);
    });
    EXPECT_EQ(made.load(), 0);
    pool.submit([&] { EXPECT_EQ(*locals.local(), 1); }).get();
    EXPECT_EQ(made.load(), 1);
    int visited = 0;
    locals.for_each([&](std::unique_ptr<int>&) { ++visited; });
    EXPECT_EQ(visited, 1);
}

TEST(WorkerLocal, GuestsHaveOneToo) {
    Pool pool(1);
    WorkerLocal<int> numbers(pool);
    pool.scope([&](Scope&) { numbers.local() = 5; });
    pool.scope([&](Scope&) { EXPECT_EQ(numbers.local(), 5) << "the same thread gets its place again"; });
}

TEST(WorkerLocal, ThreadsOutsideGetAnError) {
    Pool pool(1);
    Pool other(1);
    WorkerLocal<int> numbers(pool);
    EXPECT_THROW(numbers.local(), Error);
    other.scope([&](Scope&) { EXPECT_THROW(numbers.local(), Error); });
}

TEST(WorkerLocal, FailedMakingIsTriedAgain) {
    Pool pool(1);
    int calls = 0;
    WorkerLocal<int> numbers(pool, [&] {
        if (++calls == 1) throw std::runtime_error("not yet");
        return 3;
    });
    pool.scope([&](Scope&) {
        EXPECT_THROW(numbers.local(), std::runtime_error);
        EXPECT_EQ(numbers.local(), 3);
    });
}

}  // namespace
}  // namespace quarry
