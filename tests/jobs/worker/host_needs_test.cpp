// A host that waits runs the jobs of its own lane that its wait cannot end without, and no others.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/coro.hpp"
#include "quarry/jobs/join.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/scope.hpp"
#include "quarry/jobs/task_graph.hpp"
#include "quarry/jobs/when_all.hpp"
#include "tests/jobs/bookkeeping.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;
using namespace std::chrono_literals;

const SubmitOptions kHost{.lane = Lane::host};

// Runs a host on a thread of its own. If that waits for itself, another one takes its part, and the test has failed.
template <class Host>
void expect_to_return(Pool& pool, Host host) {
    std::atomic<bool> returned{false};
    std::jthread thread([&] {
        pool.adopt_host_thread();
        host();
        returned = true;
    });
    const bool in_time = eventually([&] { return returned.load(); }, 10s);
    EXPECT_TRUE(in_time) << "the host waits for itself";
    if (in_time) return;
    pool.adopt_host_thread();
    while (!returned) pool.run_host_jobs();
}

class HostNeedsOf : public testing::TestWithParam<int> {
  protected:
    Pool pool{GetParam()};

    // A job that waits for one of the host's lane, and says where that ran.
    std::thread::id ask_host() {
        return pool.submit([] { return std::this_thread::get_id(); }, kHost).get();
    }
    bool asked_the_host(std::thread::id host) { return ask_host() == host; }
    // Started on a worker, so that the host does not run it itself.
    template <class F>
    auto submit_started(F body) {
        auto started = std::make_shared<std::atomic<bool>>(false);
        auto task = pool.submit([started, body = std::move(body)] {
            *started = true;
            return body();
        });
        EXPECT_TRUE(eventually([&] { return started->load(); }));
        return task;
    }
};
INSTANTIATE_TEST_SUITE_P(Workers, HostNeedsOf, testing::Values(1, 2, 8));

TEST_P(HostNeedsOf, TaskThatWaitsForTheHostIsWaitedForByTheHost) {
    for (int round = 0; round < 50 && !HasFailure(); ++round) {
        expect_to_return(pool, [&] {
            const auto me = std::this_thread::get_id();
            auto task = submit_started([this] { return ask_host(); });
            if (round % 2 == 1) std::this_thread::sleep_for(1ms);  // it sleeps already, or falls asleep later
            EXPECT_EQ(task.get(), me);
        });
    }
    EXPECT_TRUE(adds_up(pool));
}

TEST_P(HostNeedsOf, ScopesJoinsAndLoopsEndToo) {
    expect_to_return(pool, [&] {
        const auto me = std::this_thread::get_id();
        std::atomic<int> right{0};
        std::atomic<bool> started{false};
        const auto ask = [&] {
            started = true;
            right += asked_the_host(me) ? 1 : 0;
        };
        // So that a worker runs it and not the host. A join offers its second closure only where its thread polls, and
        // perhaps no worker has come so far yet as to be idle when the join begins.
        const auto until_started = [&] {
            EXPECT_TRUE(eventually([&] {
                poll_point();
                return started.exchange(false);
            }));
        };
        pool.scope([&](Scope& scope) {
            scope.spawn(ask);
            until_started();
        });
        EXPECT_EQ(right, 1);
        // A host that computes leaves a pool of one worker nothing to offer.
        GetParam() > 1 ? (void)pool.join(until_started, ask) : ask();
        EXPECT_EQ(right, 2);
        parallel_for(pool, 0, 50, [&](int) {
            spin_for(100us);
            ask();
        });
        EXPECT_EQ(right, 52);
    });
}

TEST_P(HostNeedsOf, WhatIsNeededAtSeveralRemoves) {
    for (int round = 0; round < 20 && !HasFailure(); ++round) {
        expect_to_return(pool, [&] {
            const auto me = std::this_thread::get_id();
            std::atomic<bool> deepest_waits{false};
            auto first = submit_started([&] {
                bool right = false;
                pool.scope([&](Scope& scope) {
                    scope.spawn([&] {
                        auto second = pool.submit([&] {
                            deepest_waits = true;
                            return pool.submit([this, me] { return asked_the_host(me); }).get();
                        });
                        // One of two workers may be waiting at the end of the scope, and does not run it.
                        if (round % 2 == 0 && GetParam() > 2) {
                            EXPECT_TRUE(eventually([&] { return deepest_waits.load(); }));
                        }
                        right = second.get();
                    });
                });
                return right;
            });
            EXPECT_TRUE(first.get());
        });
    }
}

TEST_P(HostNeedsOf, HostJobsThatWaitThemselves) {
    expect_to_return(pool, [&] {
        const auto me = std::this_thread::get_id();
        auto task = submit_started([&] {
            const auto ask = [&] { return asked_the_host(me); };
            // The only worker sleeps by then.
            const auto on_host = [&] { return GetParam() > 1 ? submit_started(ask).get() : pool.submit(ask).get(); };
            return pool.submit(on_host, kHost).get();
        });
        EXPECT_TRUE(task.get());
    });
}

TEST_P(HostNeedsOf, ContinuationsAndCoroutines) {
    expect_to_return(pool, [&] {
        const auto me = std::this_thread::get_id();
        auto chain = submit_started([&] {
            auto on_host = pool.submit([] {}, kHost).then([] { return std::this_thread::get_id(); });
            return when_all(std::move(on_host), pool.submit([] { return 1; }))
                .then([me](auto both) { return std::get<0>(both) == me; })
                .get();
        });
        EXPECT_TRUE(chain.get());
        const auto hops = [](Pool& in) -> coro<std::thread::id> {
            co_await in.schedule(Lane::host);
            co_return std::this_thread::get_id();
        };
        auto task = submit_started([&] { return pool.start(hops(pool)).get(); });
        EXPECT_EQ(task.get(), me);
    });
}

TEST_P(HostNeedsOf, NodesOfAGraph) {
    expect_to_return(pool, [&] {
        const auto me = std::this_thread::get_id();
        std::atomic<int> right{0};
        TaskGraph graph;
        std::atomic<int> begun{0};
        for (int i = 0; i < 2; ++i) {
            graph.add("ask", [&] {
                ++begun;
                EXPECT_TRUE(GetParam() == 1 || eventually([&] { return begun == 2; }));
                right += asked_the_host(me) ? 1 : 0;
            });
        }
        graph.run(pool);
        EXPECT_EQ(right, 2);
    });
}

// A host may hold a mutex while it waits, and must find its own data as it left them: nothing runs that it does not
// wait for, even if others do.
TEST(HostNeeds, HostJobsThatOnlyOthersWaitForAreNotRun) {
    Pool pool(2);
    std::atomic<bool> other_waits{false};
    int foreign = 0;
    Task<void> other = pool.submit([&] {
        Task<void> on_host = pool.submit([&] { ++foreign; }, kHost);
        other_waits = true;
        on_host.get();
    });
    ASSERT_TRUE(eventually([&] { return other_waits.load(); }));
    int not_waited_for = 0;
    pool.submit([&] { ++not_waited_for; }, kHost);
    expect_to_return(pool, [&] {
        for (int i = 0; i < 20; ++i) {
            std::atomic<bool> started{false};
            Task<int> mine = pool.submit([&] {
                started = true;
                std::this_thread::sleep_for(1ms);
                return pool.submit([] { return 3; }, kHost).get();
            });
            ASSERT_TRUE(eventually([&] { return started.load(); }));
            EXPECT_EQ(mine.get(), 3);
            pool.scope([&](Scope& scope) { scope.spawn([] { std::this_thread::sleep_for(1ms); }); });
        }
        EXPECT_EQ(foreign, 0);
        EXPECT_EQ(not_waited_for, 0);
        pool.run_host_jobs();
    });
    other.get();
    EXPECT_EQ(foreign, 1);
    EXPECT_EQ(not_waited_for, 1);
}

// Trees of jobs that wait for jobs of all lanes, at random.
TEST(HostNeeds, TreesOfWaitsEnd) {
    for (int round = 0; round < 20 && !HasFailure(); ++round) {
        Pool pool({.workers = 1 + round % 3, .io_threads = 1});
        std::atomic<std::uint32_t> seed{static_cast<std::uint32_t>(round)};
        std::atomic<int> ran{0};
        const auto tree = [&](const auto& self, int depth) -> int {
            ++ran;
            if (depth == 0) return 1;
            std::minstd_rand random(++seed);
            int sum = 0;
            std::vector<Task<int>> tasks;
            for (int i = 0; i < 3; ++i) {
                const auto lane = static_cast<Lane>(random() % 4);
                tasks.push_back(pool.submit([&self, depth] { return self(self, depth - 1); }, {.lane = lane}));
            }
            if (random() % 2 == 0) pool.join([&] { sum += self(self, depth - 1); }, [] {});
            for (Task<int>& task : tasks) sum += task.get();
            return sum;
        };
        expect_to_return(pool, [&] {
            Task<int> all = pool.submit([&] { return tree(tree, 4); });
            EXPECT_GE(all.get(), 81);
        });
        EXPECT_TRUE(adds_up(pool));
    }
}

}  // namespace
}  // namespace quarry
