// What a thread does while it waits: only what it waits for, and it always comes back.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <latch>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/join.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

// Which of several unrelated pieces of work runs on this thread, if any: a job that finds the mark of another one was
// run inside its wait.
thread_local int mark = 0;
std::atomic<int> strangers{0};

class Marked {
  public:
    explicit Marked(int with) : before_(std::exchange(mark, with)) {
        if (before_ != 0 && before_ != with) ++strangers;
    }
    Marked(const Marked&) = delete;
    Marked& operator=(const Marked&) = delete;
    ~Marked() { mark = before_; }

  private:
    int before_;
};

class WaitingOn : public testing::TestWithParam<int> {
  protected:
    Pool pool{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, WaitingOn, testing::Values(1, 2, 8));

int nested_work(Pool& pool, int depth, int number) {
    if (depth == 0) {
        spin_for(microseconds(1));
        return 1;
    }
    std::atomic<int> sum{0};
    const auto below = [&] {
        const Marked here(number);
        return nested_work(pool, depth - 1, number);
    };
    pool.scope([&](Scope& scope) {
        for (int i = 0; i < 2; ++i) scope.spawn([&] { sum += below(); });
    });
    const auto [a, b] = pool.join(below, below);
    parallel_for(pool, 0, 4, [&](int) {
        const Marked here(number);
        sum += nested_work(pool, 0, number);
    });
    return sum + a + b;
}

TEST_P(WaitingOn, NeverRunsUnrelatedWork) {
    constexpr int kTasks = 40;
    std::atomic<int> finished{0};
    strangers = 0;
    for (int number = 1; number <= kTasks; ++number) {
        pool.submit([&, number] {
            const Marked here(number);
            EXPECT_EQ(nested_work(pool, 3, number), 64 + 4 * 16 + 4 * 4 + 4);
            ++finished;
        });
    }
    ASSERT_TRUE(eventually([&] { return finished == kTasks; }));
    EXPECT_EQ(strangers.load(), 0);
}

TEST_P(WaitingOn, GuestRunsOnlyItsOwnScopesJobs) {
    std::atomic<int> foreign_here{0};
    std::atomic<int> finished{0};
    const auto me = std::this_thread::get_id();
    for (int i = 0; i < 500; ++i) {
        pool.submit([&] {
            if (std::this_thread::get_id() == me) ++foreign_here;
            spin_for(microseconds(2));
            ++finished;
        });
        if (i % 10 == 0) {
            pool.scope([&](Scope& scope) {
                for (int k = 0; k < 5; ++k) scope.spawn([] { spin_for(microseconds(3)); });
            });
        }
    }
    ASSERT_TRUE(eventually([&] { return finished == 500; }));
    EXPECT_EQ(foreign_here.load(), 0);
}

TEST_P(WaitingOn, JobsWaitForTasksTheySubmitted) {
    struct Tree {
        static int sum(int depth) {
            if (depth == 0) return 1;
            Task<int> left = Pool::current()->submit([depth] { return sum(depth - 1); });
            Task<int> right = Pool::current()->submit([depth] { return sum(depth - 1); });
            return left.get() + right.get();
        }
    };
    EXPECT_EQ(pool.submit([] { return Tree::sum(9); }).get(), 512);
}

// Entries of a deque of submitted jobs below and above the one that somebody waits for.
void submit_fillers(Pool& pool, std::atomic<int>& inside_waits, std::atomic<int>& ran) {
    for (int i = 0; i < 5; ++i) {
        pool.submit([&] {
            if (mark != 0) ++inside_waits;
            ++ran;
        });
    }
}

// Jobs of a thread that sleeps meanwhile, spawned by workers: entries of their deques around the one that somebody
// waits for, and nobody's to run inside a wait.
class Fillers {
  public:
    Fillers(Scope& scope, std::atomic<int>& ran) : scope_(scope), ran_(ran) {}
    void spawn() {
        for (int i = 0; i < 5; ++i) {
            scope_.spawn([&ran = ran_] {
                if (mark != 0) ++strangers;
                ++ran;
            });
        }
    }

  private:
    Scope& scope_;
    std::atomic<int>& ran_;
};

// A deque shows only its ends. Worker A waits for a job in the middle of B's deque, and B for one in the middle of A's;
// nobody else is there to clear the way.
TEST(Waiting, TwoWorkersWaitForJobsHiddenInEachOthersDeques) {
    strangers = 0;
    for (int round = 0; round < static_cast<int>(scaled(200)); ++round) {
        std::atomic<int> hidden{0};
        std::atomic<int> fillers_ran{0};
        std::latch done(2);
        Pool pool(2);
        pool.scope([&](Scope& outer) {
            Fillers fillers(outer, fillers_ran);
            std::barrier meeting(2);
            Scope* scopes[2] = {};
            for (int me = 0; me < 2; ++me) {
                pool.submit([&, me] {
                    const Marked here(me + 1);
                    pool.scope([&](Scope& scope) {
                        scopes[me] = &scope;
                        meeting.arrive_and_wait();
                        fillers.spawn();
                        scopes[1 - me]->spawn([&] { ++hidden; });
                        fillers.spawn();
                        meeting.arrive_and_wait();
                    });
                    done.count_down();
                });
            }
            done.wait();
        });
        ASSERT_EQ(hidden.load(), 2);
        ASSERT_EQ(fillers_ran.load(), 20);
        ASSERT_EQ(strangers.load(), 0);
    }
}

// Worker B waits for a job that A has spawned before it began to wait for B: A would not look at it itself.
TEST(Waiting, WorkerThatSleepsInAWaitHidesNothingThatItSpawnedBefore) {
    strangers = 0;
    for (int round = 0; round < static_cast<int>(scaled(200)); ++round) {
        std::atomic<int> hidden{0};
        std::atomic<int> fillers_ran{0};
        std::latch done(1);
        Pool pool(2);
        pool.scope([&](Scope& outer) {
            Fillers fillers(outer, fillers_ran);
            std::barrier meeting(2);
            Scope* scope_of_b = nullptr;
            Task<void> b = pool.submit([&] {
                const Marked here(2);
                pool.scope([&](Scope& scope) {
                    scope_of_b = &scope;
                    meeting.arrive_and_wait();
                    meeting.arrive_and_wait();
                });
            });
            pool.submit([&] {
                const Marked here(1);
                meeting.arrive_and_wait();
                fillers.spawn();
                scope_of_b->spawn([&] { ++hidden; });
                fillers.spawn();
                meeting.arrive_and_wait();
                b.wait();
                done.count_down();
            });
            done.wait();
        });
        ASSERT_EQ(hidden.load(), 1);
        ASSERT_EQ(fillers_ran.load(), 10);
        ASSERT_EQ(strangers.load(), 0);
    }
}

// The same with tasks: each worker waits for the one that the other keeps in the middle of its deque.
TEST(Waiting, TwoWorkersWaitForTasksHiddenInEachOthersDeques) {
    for (int round = 0; round < static_cast<int>(scaled(200)); ++round) {
        std::atomic<int> inside_waits{0};
        std::atomic<int> fillers{0};
        std::atomic<int> sum{0};
        std::latch done(2);
        std::barrier meeting(2);
        Pool pool(2);
        Task<int> tasks[2];
        for (int me = 0; me < 2; ++me) {
            pool.submit([&, me] {
                const Marked here(me + 1);
                submit_fillers(pool, inside_waits, fillers);
                tasks[me] = pool.submit([me] { return me + 1; });
                submit_fillers(pool, inside_waits, fillers);
                meeting.arrive_and_wait();
                sum += tasks[1 - me].get();
                done.count_down();
            });
        }
        done.wait();
        ASSERT_EQ(sum.load(), 3);
        ASSERT_TRUE(eventually([&] { return fillers == 20; }));
        ASSERT_EQ(inside_waits.load(), 0);
    }
}

// R54: no level can strand a job.
TEST(Waiting, JobInTheLastInSlotOfABusyWorkerIsTakenByAnIdleOne) {
    for (const bool lifo_slot : {true, false}) {
        Pool pool(PoolOptions{.workers = 2, .lifo_slot = lifo_slot});
        for (int round = 0; round < 200; ++round) {
            std::atomic<bool> taken{false};
            std::atomic<bool> ended{false};
            pool.submit([&] {
                pool.submit([&] { taken = true; });
                EXPECT_TRUE(eventually([&] { return taken.load(); }));
                ended = true;
            });
            ASSERT_TRUE(eventually([&] { return ended.load(); }));
        }
    }
}

// R54: each of a busy worker's queued jobs is in reach of the idle ones, whatever level it sits on.
TEST(Waiting, EverythingABusyWorkerQueuedIsTakenByIdleOnes) {
    Pool pool(3);
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> ran{0};
        std::atomic<bool> ended{false};
        pool.submit([&] {
            pool.scope([&](Scope& scope) {
                for (int i = 0; i < 20; ++i) {
                    pool.submit([&] { ++ran; });
                    scope.spawn([&] { ++ran; });
                }
                EXPECT_TRUE(eventually([&] { return ran == 40; }));
            });
            ended = true;
        });
        ASSERT_TRUE(eventually([&] { return ended.load(); }));
    }
}

// A job that runs on a guest's thread, because the guest waits for it, is a job like any other: its submits do not
// wait for room. Here the only worker waits for that very job, so nobody would ever make room.
TEST(Waiting, JobRunByAGuestSubmitsIntoAFullQueueWithoutWaiting) {
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> ran{0};
        Pool pool(PoolOptions{.workers = 1, .queue_capacity = 1});
        pool.scope([&](Scope& outer) {
            std::latch worker_has_it(1);
            outer.spawn([&] {
                worker_has_it.count_down();
                std::atomic<int> jobs{0};
                pool.scope([&](Scope& inner) {
                    for (int i = 0; i < 4; ++i) {
                        inner.spawn([&] {
                            for (int k = 0; k < 5; ++k) pool.submit([&] { ++ran; });
                            ++jobs;
                        });
                    }
                    spin_for(microseconds(50));
                });
            });
            worker_has_it.wait();
        });
        ASSERT_TRUE(eventually([&] { return ran == 20; }));
    }
}

TEST(Waiting, TaskRunByItsWaiterSubmitsIntoAFullQueueWithoutWaiting) {
    std::atomic<bool> release{false};
    std::latch busy(1);
    std::atomic<int> ran{0};
    Pool pool(PoolOptions{.workers = 1, .queue_capacity = 2});
    pool.submit([&] {
        busy.count_down();
        while (!release) std::this_thread::yield();
    });
    busy.wait();
    Task<void> task = pool.submit([&] {
        for (int i = 0; i < 10; ++i) pool.submit([&] { ++ran; });
        release = true;
    });
    task.get();
    EXPECT_TRUE(eventually([&] { return ran == 10; }));
}

// The same across pools: the job of B is what the worker of A waits for.
TEST(Waiting, JobOfAnotherPoolSubmitsIntoAFullQueueWithoutWaiting) {
    std::atomic<int> ran{0};
    std::atomic<bool> ended{false};
    Pool a(PoolOptions{.workers = 1, .queue_capacity = 1});
    Pool b(1);
    a.submit([&] {
        b.scope([&](Scope& scope) {
            scope.spawn([&] {
                for (int i = 0; i < 10; ++i) a.submit([&] { ++ran; });
            });
        });
        ended = true;
    });
    EXPECT_TRUE(eventually([&] { return ended && ran == 10; }, std::chrono::seconds(20)));
}

// What a guest's join or loop spawned into another thread's scope is still there when the guest has left.
TEST(Waiting, JobSpawnedIntoAnotherThreadsScopeByAGuestIsNotLost) {
    std::atomic<bool> release{false};
    std::latch busy(1);
    std::atomic<int> ran{0};
    Pool pool(1);
    pool.submit([&] {
        busy.count_down();
        while (!release) std::this_thread::yield();
    });
    busy.wait();
    pool.scope([&](Scope& scope) {
        std::jthread([&] {
            pool.join([&] { scope.spawn([&] { ++ran; }); }, [&] { scope.spawn([&] { ++ran; }); });
            parallel_for(pool, 0, 3, [&](int) { scope.spawn([&] { ++ran; }); });
            pool.scope([&](Scope& own) { own.spawn([&] { scope.spawn([&] { ++ran; }); }); });
        }).join();
    });
    EXPECT_EQ(ran.load(), 6);
    release = true;
}

}  // namespace
}  // namespace quarry
