// Nothing allocates on the hot path once warm, and memory stays bounded over very many jobs. A program of its own: it
// counts every allocation of the process.
//
// QUARRY_SOAK_JOBS sets the number of jobs of the bounded-memory test (5 million by default; a billion takes minutes).
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/channel.hpp"
#include "quarry/jobs/join.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/scope.hpp"
#include "quarry/jobs/trace.hpp"
#include "tests/jobs/counting_allocator.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

// The nodes of jobs move between threads, so how many each needs depends on the schedule: warm up with more work than
// is measured, and let the measured part be tried a few times.
template <class Work>
std::uint64_t allocations_once_warm(Work work) {
    for (int i = 0; i < 20; ++i) work(4);
    std::uint64_t least = ~std::uint64_t{0};
    for (int tries = 0; tries < 5 && least != 0; ++tries) {
        const std::uint64_t before = allocation_count();
        for (int i = 0; i < 20; ++i) work(1);
        least = std::min(least, allocation_count() - before);
    }
    return least;
}

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

// Runs many jobs by every way there is, and answers how much memory came on top after the first tenth.
template <class Work>
std::size_t growth_over_many_jobs(std::uint64_t jobs_per_call, Work work) {
    const std::uint64_t calls = std::max<std::uint64_t>(10, soak_jobs() / jobs_per_call);
    for (std::uint64_t i = 0; i < calls / 10; ++i) work();
    const std::size_t before = resident_bytes();
    for (std::uint64_t i = calls / 10; i < calls; ++i) work();
    const std::size_t after = resident_bytes();
    return after > before ? after - before : 0;
}

constexpr std::size_t kMostGrowth = kSanitized ? std::size_t{256} << 20 : std::size_t{4} << 20;

TEST(Allocation, MemoryStaysBoundedOverVeryManyJobs) {
    Pool pool(2);
    EXPECT_LE(growth_over_many_jobs(60'000,
                                    [&] {
                                        pool.scope([&](Scope& scope) {
                                            for (int i = 0; i < 20'000; ++i) scope.spawn([] {});
                                        });
                                        for (int i = 0; i < 20'000; ++i) pool.submit([] {});
                                        pool.submit([&] {
                                                for (int i = 0; i < 20'000; ++i) pool.submit([] {}).get();
                                            })
                                            .get();
                                    }),
              kMostGrowth);
}

// Without an idle worker that would clear the queues.
TEST(Allocation, MemoryStaysBoundedWhileOneJobSubmitsAndGets) {
    Pool pool(1);
    const auto rounds = static_cast<int>(scaled(500'000));
    Task<std::size_t> growth = pool.submit([&] {
        for (int i = 0; i < rounds / 10; ++i) pool.submit([] {}).get();
        const std::size_t before = resident_bytes();
        for (int i = 0; i < rounds; ++i) pool.submit([] {}).get();
        const std::size_t after = resident_bytes();
        return after > before ? after - before : 0;
    });
    ASSERT_TRUE(eventually([&] { return growth.ready(); }));
    EXPECT_LE(growth.get(), kMostGrowth);
}

// The scope's own thread does not look while others spawn into it.
TEST(Allocation, MemoryStaysBoundedWhileAScopesOwnerIsBusyElsewhere) {
    Pool pool(2);
    std::size_t growth = 0;
    const auto rounds = static_cast<int>(scaled(1'000'000));
    pool.scope([&](Scope& scope) {
        std::atomic<bool> done{false};
        scope.spawn([&] {
            for (int i = 0; i < rounds / 10; ++i) scope.spawn([] {});
            const std::size_t before = resident_bytes();
            for (int i = 0; i < rounds; ++i) scope.spawn([] {});
            const std::size_t after = resident_bytes();
            growth = after > before ? after - before : 0;
            done = true;
        });
        EXPECT_TRUE(eventually([&] { return done.load(); }));
    });
    EXPECT_LE(growth, kMostGrowth);
}

}  // namespace
}  // namespace quarry
