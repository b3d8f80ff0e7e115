// Nothing allocates on the hot path once warm, and memory stays bounded over very many jobs. A program of its own: it
// counts every allocation of the process.
//
// QUARRY_SOAK_JOBS sets the number of jobs of the bounded-memory test (5 million by default; a billion takes minutes).
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/channel.hpp"
#include "quarry/jobs/join.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/parallel_reduce.hpp"
#include "quarry/jobs/parallel_scan.hpp"
#include "quarry/jobs/parallel_sort.hpp"
#include "quarry/jobs/scope.hpp"
#include "quarry/jobs/trace.hpp"
#include "quarry/jobs/worker_local.hpp"
#include "tests/jobs/counting_allocator.hpp"
#include "tests/jobs/steady_allocations.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

constexpr int kBatch = static_cast<int>(scaled(2000));

class AllocationOn : public testing::TestWithParam<int> {
  protected:
    Pool pool{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, AllocationOn, testing::Values(1, 2, 4));

TEST_P(AllocationOn, CountsThisTestsOwnAllocations) {
    EXPECT_GE(allocations_once_warm([](int) { ::operator delete(::operator new(1)); }), 20U)
        << "or the other tests could not fail";
}

TEST_P(AllocationOn, ScopeDoesNotAllocate) {
    std::atomic<int> ran{0};
    EXPECT_EQ(allocations_once_warm([&](int times) {
                  pool.scope([&](Scope& scope) {
                      for (int i = 0; i < kBatch * times; ++i) {
                          scope.spawn([&] { ran.fetch_add(1, std::memory_order_relaxed); });
                      }
                  });
              }),
              0U);
    EXPECT_GT(ran.load(), 0);
}

// R28: only start() and the first event of a thread from outside do.
TEST_P(AllocationOn, TraceDoesNotAllocate) {
    const Trace trace(pool, {.events_per_thread = 1'000});
    EXPECT_EQ(allocations_once_warm([&](int times) {
                  const TraceSpan span("frame");
                  pool.scope([&](Scope& scope) {
                      for (int i = 0; i < kBatch * times; ++i) {
                          scope.spawn([i] {
                              const TraceSpan part("part");
                              trace_counter("number", i);
                          });
                      }
                  });
                  trace_instant("done");
              }),
              0U);
    EXPECT_GT(trace.lost(), 0U);
}

TEST_P(AllocationOn, ScopeWithResultsDoesNotAllocate) {
    std::vector<ScopeResult<int>> results(static_cast<std::size_t>(kBatch));
    EXPECT_EQ(allocations_once_warm([&](int times) {
                  for (int round = 0; round < times; ++round) {
                      pool.scope([&](Scope& scope) {
                          for (std::size_t i = 0; i < results.size(); ++i) {
                              results[i] = scope.spawn([i] { return static_cast<int>(i); });
                          }
                      });
                  }
              }),
              0U);
    EXPECT_EQ(*results[7], 7);
}

TEST_P(AllocationOn, SpawningFromJobsDoesNotAllocate) {
    EXPECT_EQ(allocations_once_warm([&](int times) {
                  pool.scope([&](Scope& scope) {
                      for (int i = 0; i < 20 * times; ++i) {
                          scope.spawn([&] {
                              for (int k = 0; k < kBatch / 20; ++k) scope.spawn([] {});
                          });
                      }
                  });
              }),
              0U);
}

int tree(int depth) {
    if (depth == 0) return 1;
    const auto [a, b] = join([&] { return tree(depth - 1); }, [&] { return tree(depth - 1); });
    return a + b;
}

TEST_P(AllocationOn, JoinDoesNotAllocate) {
    EXPECT_EQ(allocations_once_warm([&](int times) {
                  for (int i = 0; i < times; ++i) pool.join([] { return tree(10); }, [] { return tree(10); });
              }),
              0U);
}

TEST_P(AllocationOn, ParallelForDoesNotAllocate) {
    std::vector<std::uint32_t> values(static_cast<std::size_t>(kBatch) * 10);
    EXPECT_EQ(allocations_once_warm([&](int times) {
                  for (int i = 0; i < times; ++i) {
                      parallel_for(pool, std::size_t{0}, values.size(), [&](std::size_t k) { ++values[k]; });
                  }
              }),
              0U);
}

TEST_P(AllocationOn, SubmitDoesNotAllocate) {
    std::vector<Task<int>> tasks(static_cast<std::size_t>(kBatch));
    EXPECT_EQ(allocations_once_warm([&](int times) {
                  for (int round = 0; round < times; ++round) {
                      for (std::size_t i = 0; i < tasks.size(); ++i) {
                          tasks[i] = pool.submit([i] { return static_cast<int>(i); });
                      }
                      for (Task<int>& task : tasks) task.get();
                  }
              }),
              0U);
}

TEST_P(AllocationOn, SubmitFromJobsDoesNotAllocate) {
    EXPECT_EQ(allocations_once_warm([&](int times) {
                  Task<void> done = pool.submit([&, times] {
                      for (int i = 0; i < kBatch * times; ++i) pool.submit([] {}).get();
                  });
                  if (!eventually([&] { return done.ready(); })) std::abort();
              }),
              0U);
}

TEST_P(AllocationOn, TrySubmitDoesNotAllocate) {
    std::vector<std::optional<Task<int>>> tasks(static_cast<std::size_t>(kBatch) * 4);
    EXPECT_EQ(allocations_once_warm([&](int times) {
                  const std::span at_once(tasks.data(), static_cast<std::size_t>(kBatch * times));
                  for (std::optional<Task<int>>& task : at_once) task = pool.try_submit([] { return 1; });
                  for (std::optional<Task<int>>& task : at_once) {
                      if (task) task->get();
                  }
              }),
              0U);
}

TEST_P(AllocationOn, WorkerLocalDoesNotAllocateOnceEachThreadHasItsOwn) {
    WorkerLocal<std::uint64_t> local(pool);
    std::atomic<int> arrived{0};  // outlives the body, which may end before its jobs have looked
    pool.scope([&](Scope& scope) {
        const auto make_own = [&] {
            ++local.local();
            ++arrived;
            if (!eventually([&] { return arrived > GetParam(); })) std::abort();
        };
        for (int i = 0; i < GetParam(); ++i) scope.spawn(make_own);
        make_own();
    });
    int rounds = 0;
    EXPECT_EQ(allocations_once_warm([&](int times) {
                  parallel_for(pool, 0, kBatch * times, [&](int) { ++local.local(); });
                  rounds += times;
              }),
              0U);
    std::uint64_t sum = 0;
    local.for_each([&](std::uint64_t mine) { sum += mine; });
    EXPECT_EQ(sum, static_cast<std::uint64_t>(GetParam() + 1 + rounds * kBatch));
}

// Numbers without an order, and enough of them to be shared.
std::vector<std::uint32_t> shuffled(std::size_t count = std::size_t{kBatch} * 5) {
    std::vector<std::uint32_t> numbers(count);
    std::minstd_rand random(1);
    for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random());
    return numbers;
}

TEST_P(AllocationOn, ParallelReduceDoesNotAllocate) {
    const std::vector<std::uint32_t> numbers = shuffled();
    std::atomic<std::uint64_t> sum{0};
    EXPECT_EQ(allocations_once_warm([&](int times) {
                  for (int i = 0; i < times; ++i) {
                      sum = parallel_reduce(
                          pool, std::size_t{0}, numbers.size(), std::uint64_t{0},
                          [&](std::size_t k) { return std::uint64_t{numbers[k]}; }, std::plus<>());
                  }
              }),
              0U);
    EXPECT_EQ(sum.load(), std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}));
}

TEST_P(AllocationOn, ParallelSortDoesNotAllocate) {
    const auto expect_none = [&](std::vector<std::uint32_t> numbers, int rounds) {
        std::vector<std::uint32_t> sorted(numbers.size());
        const auto sort = [&](int times) {
            for (int i = 0; i < times; ++i) {
                std::copy(numbers.begin(), numbers.end(), sorted.begin());
                parallel_sort(pool, sorted);
            }
        };
        EXPECT_EQ(allocations_once_warm(sort, {.each_time = rounds}), 0U);
        EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
    };
    expect_none(shuffled(kBatch * 5), 20);
    expect_none(shuffled(scaled(400'000)), 1);  // partitions in parallel
}

// Only its table of blocks, in three pieces.
TEST_P(AllocationOn, ParallelScanAllocatesNoMoreThanItsTable) {
    const std::vector<std::uint32_t> numbers = shuffled();
    std::vector<std::uint32_t> sums(numbers.size());
    const Rounds rounds{.each_time = 20, .allowed = GetParam() == 1 ? 0U : 20U * 3U};
    const auto scan = [&](int times) {
        for (int i = 0; i < times; ++i) parallel_scan(pool, numbers, sums, 0U, std::plus<>());
    };
    EXPECT_LE(allocations_once_warm(scan, rounds), rounds.allowed);
    EXPECT_EQ(sums.back(), std::accumulate(numbers.begin(), numbers.end(), 0U));
}

TEST(Allocation, ChannelDoesNotAllocateAfterItsConstruction) {
    Channel<std::uint64_t> there(2);
    Channel<std::uint64_t> back(2);
    std::jthread echo([&] {
        while (auto value = there.receive()) back.send(std::move(*value));
    });
    EXPECT_EQ(allocations_once_warm([&](int times) {
                  for (int i = 0; i < kBatch / 20 * times; ++i) {
                      there.send(1);
                      if (!back.receive_for(std::chrono::hours(1))) std::abort();
                  }
                  if (there.try_receive() || back.try_send(2) != SendStatus::sent || !back.try_receive()) std::abort();
              }),
              0U);
    there.close();
}

std::uint64_t soak_jobs() {
    const char* const wanted = std::getenv("QUARRY_SOAK_JOBS");  // NOLINT(concurrency-mt-unsafe)
    return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : scaled(5'000'000, 50);
}

// How much the process holds more than at the construction. A sanitizer's own memory counts as resident, so there the
// limit of that is wide; what was allocated is exact everywhere.
class Growth {
  public:
    // A deque that is longer than ever before grows: 128 KiB for as many as wait, and the smaller ones before it.
    static constexpr std::int64_t kMostLive = std::int64_t{1} << 20;
    static constexpr std::int64_t kMostResident = kSanitized ? std::int64_t{256} << 20 : std::int64_t{4} << 20;

    std::int64_t live() const { return live_bytes() - live_; }
    std::int64_t resident() const { return static_cast<std::int64_t>(resident_bytes()) - resident_; }

  private:
    std::int64_t live_ = live_bytes();
    std::int64_t resident_ = static_cast<std::int64_t>(resident_bytes());
};

void expect_bounded(const Growth& growth) {
    std::printf("%lld bytes more allocated, %lld resident\n", static_cast<long long>(growth.live()),
                static_cast<long long>(growth.resident()));
    EXPECT_LE(growth.live(), Growth::kMostLive);
    EXPECT_LE(growth.resident(), Growth::kMostResident);
}

// More nodes than any schedule of what follows needs at once, so that their number is no part of what is measured.
void make_nodes(Pool& pool) {
    std::vector<ScopeResult<int>> kept(50'000);
    pool.scope([&](Scope& scope) {
        for (ScopeResult<int>& each : kept) each = scope.spawn([] { return 1; });
    });
}

// By every way there is; what came on top after the first tenth.
TEST(Allocation, MemoryStaysBoundedOverVeryManyJobs) {
    Pool pool(2);
    make_nodes(pool);
    const auto run_60_000_jobs = [&] {
        pool.scope([&](Scope& scope) {
            for (int i = 0; i < 20'000; ++i) scope.spawn([] {});
        });
        for (int i = 0; i < 20'000; ++i) pool.submit([] {});
        pool.submit([&] {
                for (int i = 0; i < 20'000; ++i) pool.submit([] {}).get();
            })
            .get();
    };
    const std::uint64_t calls = std::max<std::uint64_t>(10, soak_jobs() / 60'000);
    for (std::uint64_t i = 0; i < calls / 10; ++i) run_60_000_jobs();
    const Growth growth;
    for (std::uint64_t i = calls / 10; i < calls; ++i) run_60_000_jobs();
    expect_bounded(growth);
}

// Without an idle worker that would clear the queues.
TEST(Allocation, MemoryStaysBoundedWhileOneJobSubmitsAndGets) {
    Pool pool(1);
    make_nodes(pool);
    const auto rounds = static_cast<int>(scaled(500'000));
    Task<void> done = pool.submit([&] {
        for (int i = 0; i < rounds / 10; ++i) pool.submit([] {}).get();
        const Growth growth;
        for (int i = 0; i < rounds; ++i) pool.submit([] {}).get();
        expect_bounded(growth);
    });
    ASSERT_TRUE(eventually([&] { return done.ready(); }));
}

// The scope's own thread does not look while others spawn into it.
TEST(Allocation, MemoryStaysBoundedWhileAScopesOwnerIsBusyElsewhere) {
    Pool pool(2);
    make_nodes(pool);
    const auto rounds = static_cast<int>(scaled(1'000'000));
    pool.scope([&](Scope& scope) {
        std::atomic<bool> done{false};
        scope.spawn([&] {
            for (int i = 0; i < rounds / 10; ++i) scope.spawn([] {});
            const Growth growth;
            for (int i = 0; i < rounds; ++i) scope.spawn([] {});
            expect_bounded(growth);
            done = true;
        });
        EXPECT_TRUE(eventually([&] { return done.load(); }));
    });
}

}  // namespace
}  // namespace quarry
