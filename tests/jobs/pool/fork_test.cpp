// Pools in a forked child. Not for the thread sanitizer: it does not support new threads after the fork of a process
// that has some.
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "quarry/jobs/coro.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/join.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/scope.hpp"
#include "quarry/jobs/trace.hpp"
#include "quarry/jobs/when_all.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

template <class Call>
bool throws_error(Call call) {
    try {
        call();
    } catch (const Error&) {
        return true;
    }
    return false;
}

bool fresh_pool_works() {
    std::atomic<int> ran{0};
    Pool fresh(2);
    fresh.scope([&](Scope& scope) {
        for (int i = 0; i < 1000; ++i) scope.spawn([&] { ++ran; });
    });
    return ran == 1000 && fresh.submit([] { return 5; }).get() == 5;
}

// What a child makes of the parent's pool; exit status 0 if all is as it should be.
int use_in_child(std::unique_ptr<Pool>& pool, Task<int>& unfinished) {
    if (!throws_error([&] { pool->submit([] {}); })) return 20;
    if (!throws_error([&] { pool->scope([](Scope&) {}); })) return 21;
    if (!throws_error([&] { pool->join([] {}, [] {}); })) return 22;
    if (!throws_error([&] { parallel_for(*pool, 0, 10, [](int) {}); })) return 23;
    if (!throws_error([&] { unfinished.wait(); })) return 24;
    if (!throws_error([&] { static_cast<void>(pool->try_submit([] {})); })) return 28;
    if (!throws_error([&] { unfinished.raise(Priority::urgent); })) return 41;
    if (!throws_error([&] { unfinished.cancel(); })) return 42;
    if (!throws_error([&] { std::move(unfinished).then([](int value) { return value; }); })) return 43;
    std::atomic<int> ran{0};
    // Made before the old one goes: its threads get what the old ones had.
    Pool fresh(2);
    if (fresh.submit([] { return 5; }).get() != 5) return 25;
    pool.reset();
    if (!throws_error([&] { unfinished.wait(); })) return 26;
    fresh.scope([&](Scope& scope) {
        for (int i = 0; i < 1000; ++i) scope.spawn([&] { ++ran; });
    });
    return ran == 1000 ? 0 : 27;
}

// One that hangs is ended by a signal.
pid_t fork_at_once() {
    const pid_t pid = fork();
    if (pid == 0) alarm(30);
    return pid;
}

// The locks of the address sanitizer's allocator stay taken in the child when another thread holds one at the fork, as
// a thread that starts does, and then any allocation there hangs, with or without a pool.
pid_t fork_with_alarm() {
#if defined(QUARRY_UNDER_ADDRESS_SANITIZER)
    EXPECT_TRUE(workers_park());
#endif
    return fork_at_once();
}

// Until then the thread sleeps nearly all the time, as workers_park() wants it.
void sleep_until(const std::atomic<bool>& released) {
    while (!released) std::this_thread::sleep_for(milliseconds(1));
}

constexpr int kBySignal = 1000;

int status_of(pid_t pid) {
    int status = 0;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : kBySignal + WTERMSIG(status);
}

int status_of_child(const std::function<int()>& child) {
    const pid_t pid = fork_with_alarm();
    if (pid == 0) std::_Exit(child());
    return status_of(pid);
}

// What follows tasks of the parent's pool in a child, also when a new pool's task stands beside them.
int continue_in_child(Task<int>& unfinished, Task<int>& finished) {
    Pool fresh(1);
    if (!throws_error([&] { when_all(fresh.submit([] { return 1; }), std::move(unfinished)); })) return 40;
    if (!throws_error([&] { std::move(finished).then([](int value) { return value; }); })) return 41;
    if (!finished.ready() || finished.get() != 7) return 42;
    return 0;
}

coro<bool> is_refused_in_coroutine(Task<int>& unfinished) {
    try {
        co_await std::move(unfinished);
    } catch (const Error&) {
        co_return true;
    }
    co_return false;
}

TEST(Fork, TasksOfTheParentsPoolCanNotBeContinuedInTheChild) {
    std::atomic<bool> release{false};
    Pool pool(1);
    Task<int> finished = pool.submit([] { return 7; });
    finished.wait();
    pool.submit([&] { sleep_until(release); });
    Task<int> unfinished = pool.submit([] { return 1; });
    EXPECT_EQ(status_of_child([&] { return continue_in_child(unfinished, finished); }), 0);
    release = true;
    EXPECT_EQ(when_all(std::move(unfinished), std::move(finished)).get(), (std::tuple(1, 7)));
}

TEST(Fork, TasksOfTheParentsPoolCanNotBeAwaitedInTheChild) {
    std::atomic<bool> release{false};
    Pool pool(1);
    pool.submit([&] { sleep_until(release); });
    Task<int> unfinished = pool.submit([] { return 1; });
    EXPECT_EQ(status_of_child([&] {
                  Pool fresh(1);
                  return fresh.start(is_refused_in_coroutine(unfinished)).get() ? 0 : 50;
              }),
              0);
    release = true;
    EXPECT_EQ(unfinished.get(), 1);
}

// The lock that names of traces are kept under is nobody's in the child.
TEST(Fork, WhileNamesAreMadeLeaveTheChildUsable) {
    std::atomic<bool> begun{false};
    const std::jthread churn([&](const std::stop_token& stop) {
        for (; !stop.stop_requested(); begun = true) (void)trace_name("the same again");
    });
    ASSERT_TRUE(eventually([&] { return begun.load(); }));
    for (int i = 0; i < static_cast<int>(scaled(100)); ++i) {
        const pid_t pid = fork_at_once();
        if (pid == 0) std::_Exit(trace_name("the same again") == nullptr ? 1 : 0);
        ASSERT_EQ(status_of(pid), 0);
    }
}

TEST(Fork, PoolInTheChildThrowsAndANewOneWorks) {
    std::atomic<bool> release{false};
    std::atomic<int> busy{0};
    auto pool = std::make_unique<Pool>(2);
    for (int i = 0; i < 2; ++i) {
        pool->submit([&] {
            ++busy;
            sleep_until(release);
        });
    }
    ASSERT_TRUE(eventually([&] { return busy == 2; }));
    Task<int> unfinished = pool->submit([] { return 1; });
    EXPECT_EQ(status_of_child([&] { return use_in_child(pool, unfinished); }), 0);
    release = true;
    EXPECT_EQ(unfinished.get(), 1) << "the parent's goes on as before";
}

// A closure that another thread runs while this one forks.
class InFlight {
  public:
    void operator()() {
        started_ = true;
        sleep_until(released_);
    }
    void wait_until_started() {
        EXPECT_TRUE(eventually([&] {
            poll_point();
            return started_.load();
        }));
    }
    void release() { released_ = true; }

  private:
    std::atomic<bool> started_{false};
    std::atomic<bool> released_{false};
};

TEST(Fork, SharedPoolOfTheChildIsANewOne) {
    EXPECT_EQ(join([] { return 1; }, [] { return 2; }), std::pair(1, 2));
    const Pool* const of_parent = &Pool::shared();
    EXPECT_EQ(status_of_child([&] {
                  if (join([] { return 1; }, [] { return 2; }) != std::pair(1, 2)) return 30;
                  if (Pool::shared().submit([] { return 3; }).get() != 3) return 31;
                  Pool::stop_shared();
                  return Pool::shared().submit([] { return 4; }).get() == 4 ? 0 : 32;
              }),
              0);
    EXPECT_EQ(&Pool::shared(), of_parent);
    Pool::stop_shared();
}

// What the scope's jobs borrow is the parent's: the child neither runs them nor waits for them.
TEST(Fork, InsideAScopeItsEndThrowsInTheChild) {
    InFlight in_flight;
    std::atomic<int> queued_ran{0};
    pid_t pid = -1;
    bool refused = false;
    Pool pool(1);
    const bool threw = throws_error([&] {
        pool.scope([&](Scope& scope) {
            scope.spawn([&] { in_flight(); });
            in_flight.wait_until_started();
            scope.spawn([&] { ++queued_ran; });
            pid = fork_with_alarm();
            if (pid == 0) refused = throws_error([&] { scope.spawn([] {}); });
            in_flight.release();
        });
    });
    if (pid == 0) std::_Exit(!threw ? 40 : !refused ? 41 : queued_ran != 0 ? 42 : fresh_pool_works() ? 0 : 43);
    EXPECT_EQ(status_of(pid), 0);
    EXPECT_FALSE(threw);
    EXPECT_EQ(queued_ran.load(), 1);
}

// A wait that cannot throw must not last for ever.
TEST(Fork, InsideAJoinThatOthersHaveTakenPartOfEndsTheChild) {
    InFlight in_flight;
    pid_t pid = -1;
    Pool pool(2);
    testing::internal::CaptureStderr();
    pool.join(
        [&] {
            in_flight.wait_until_started();
            pid = fork_with_alarm();
            in_flight.release();
        },
        [&] { in_flight(); });
    if (pid == 0) std::_Exit(50);
    EXPECT_EQ(status_of(pid), kBySignal + SIGABRT);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("a forked child waits for a job"), std::string::npos);
}

TEST(Fork, InsideAJobLetsTheChildUseANewPoolUntilItEnds) {
    Pool pool(2);
    const int status = pool.submit([&] {
                               return status_of_child([&] {
                                   if (Pool::current() != nullptr) return 60;
                                   if (!throws_error([&] { pool.submit([] {}); })) return 61;
                                   return fresh_pool_works() ? 0 : 62;
                               });
                           })
                           .get();
    EXPECT_EQ(status, 0);
}

// A fork may come while other threads are anywhere inside the library.
// Not under the address sanitizer: see fork_with_alarm().
#if !defined(QUARRY_UNDER_ADDRESS_SANITIZER)
TEST(Fork, WhileThePoolIsBusyLeaveTheChildUsable) {
    std::atomic<bool> stop{false};
    Pool pool(2);
    std::jthread churn([&] {
        while (!stop) {
            pool.scope([&](Scope& scope) {
                for (int i = 0; i < 2000; ++i) scope.spawn([] {});
            });
        }
    });
    for (int i = 0; i < static_cast<int>(scaled(40)); ++i) {
        EXPECT_EQ(status_of_child([] {
                      std::atomic<int> ran{0};
                      Pool fresh(2);
                      fresh.scope([&](Scope& scope) {
                          for (int k = 0; k < 3000; ++k) scope.spawn([&] { ++ran; });
                      });
                      return ran == 3000 ? 0 : 1;
                  }),
                  0);
    }
    stop = true;
}
#endif

}  // namespace
}  // namespace quarry
