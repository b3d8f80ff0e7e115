// Errors thrown anywhere: all is joined before they get out, and each one can be told apart.
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/join.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

struct Failure : std::runtime_error {
    explicit Failure(int which) : std::runtime_error("failure " + std::to_string(which)), number(which) {}
    int number;
};

int number_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Failure& failure) {
        return failure.number;
    } catch (...) {
        return -1;
    }
}

class ExceptionsOn : public testing::TestWithParam<int> {
  protected:
    Pool pool{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, ExceptionsOn, testing::Values(1, 2, 8));

// Counts the jobs that are running: none may be left when an error gets out.
class Running {
  public:
    explicit Running(std::atomic<int>& count) : count_(count) { ++count_; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { --count_; }

  private:
    std::atomic<int>& count_;
};

TEST_P(ExceptionsOn, ScopeJoinsAllBeforeItRethrows) {
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> running{0};
        std::atomic<int> ran{0};
        EXPECT_THROW(pool.scope([&](Scope& scope) {
            for (int i = 0; i < 30; ++i) {
                scope.spawn([&, i] {
                    const Running here(running);
                    ++ran;
                    if (i == round % 30) throw Failure(i);
                    spin_for(microseconds(3));
                });
            }
        }),
                     Failure);
        ASSERT_EQ(running.load(), 0);
        ASSERT_EQ(ran.load(), 30) << "one failed job fails alone";
    }
}

// Of several errors the first one in time gets out; the others are counted.
TEST_P(ExceptionsOn, ScopeRethrowsTheFirstOfSeveralErrors) {
    for (int round = 0; round < 20; ++round) {
        const std::uint64_t before = pool.stats().total.failed;
        const auto failed = [&] { return pool.stats().total.failed - before; };
        try {
            pool.scope([&](Scope& scope) {
                for (const int number : {5, 3, 9, 1}) {
                    const std::uint64_t so_far = failed();
                    scope.spawn([number] { throw Failure(number); });
                    ASSERT_TRUE(eventually([&] { return failed() == so_far + 1; }));
                }
                throw Failure(0);
            });
            FAIL();
        } catch (const Failure& failure) {
            ASSERT_EQ(failure.number, 5);
        }
        ASSERT_EQ(failed(), 4U);
    }
}

TEST_P(ExceptionsOn, ErrorInTheScopesOwnBodyJoinsItsJobsToo) {
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> ran{0};
        try {
            pool.scope([&](Scope& scope) {
                for (int i = 0; i < 10; ++i) {
                    scope.spawn([&] {
                        spin_for(microseconds(3));
                        ++ran;
                    });
                }
                throw Failure(99);
            });
            FAIL();
        } catch (const Failure& failure) {
            EXPECT_EQ(failure.number, 99);
        }
        ASSERT_EQ(ran.load(), 10);
    }
}

// R26: a partition into results and errors.
TEST_P(ExceptionsOn, EveryJobGivesAResultOrAnError) {
    std::vector<JobError> errors;
    std::vector<ScopeResult<int>> results;
    pool.scope(
        [&](Scope& scope) {
            for (int i = 0; i < 300; ++i) {
                results.push_back(scope.spawn([i] {
                    if (i % 3 == 0) throw Failure(i);
                    return i;
                }));
            }
        },
        ScopeOptions{.errors = &errors});
    ASSERT_EQ(errors.size(), 100U);
    for (std::size_t i = 0; i < errors.size(); ++i) {
        EXPECT_EQ(errors[i].index, i * 3);
        EXPECT_EQ(number_of(errors[i].error), static_cast<int>(i) * 3);
    }
    for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].has_value(), i % 3 != 0);
    EXPECT_EQ(pool.stats().total.failed, 100U);
    EXPECT_EQ(pool.stats().total.completed, 200U);
}

TEST_P(ExceptionsOn, CollectedErrorsNameTheBodyAndNestedJobs) {
    std::vector<JobError> errors;
    pool.scope(
        [&](Scope& scope) {
            scope.spawn([] {});
            scope.spawn([] { throw Failure(1); });
            throw Failure(2);
        },
        ScopeOptions{.errors = &errors});
    ASSERT_EQ(errors.size(), 2U);
    EXPECT_EQ(errors[0].index, 1U);
    EXPECT_EQ(errors[1].index, JobError::kBody);
    EXPECT_EQ(number_of(errors[1].error), 2);
}

void throw_at_depth(Pool& pool, int depth) {
    if (depth == 0) throw Failure(7);
    switch (depth % 4) {
        case 0:
            return pool.scope([&](Scope& scope) { scope.spawn([&] { throw_at_depth(pool, depth - 1); }); });
        case 1:
            return static_cast<void>(pool.join([&] { throw_at_depth(pool, depth - 1); }, [] {}));
        case 2:
            return static_cast<void>(pool.join([] {}, [&] { throw_at_depth(pool, depth - 1); }));
        default:
            return parallel_for(pool, 0, 3, [&](int i) {
                if (i == 1) throw_at_depth(pool, depth - 1);
            });
    }
}

TEST_P(ExceptionsOn, ErrorFromAnyDepthComesUp) {
    for (int depth = 0; depth < 60; ++depth) {
        try {
            throw_at_depth(pool, depth);
            FAIL() << depth;
        } catch (const Failure& failure) {
            EXPECT_EQ(failure.number, 7);
        }
        EXPECT_EQ(Pool::current(), nullptr);
    }
}

TEST_P(ExceptionsOn, JoinRethrowsTheFirstClosuresErrorAndWaitsForTheSecond) {
    for (int round = 0; round < 200; ++round) {
        std::atomic<int> running{0};
        const auto fail = [&](int number) {
            const Running here(running);
            spin_for(microseconds(2));
            throw Failure(number);
        };
        const auto succeed = [&] {
            const Running here(running);
            spin_for(microseconds(2));
        };
        const auto error_of = [&](auto first, auto second) {
            try {
                pool.join(first, second);
            } catch (const Failure& failure) {
                return failure.number;
            }
            return 0;
        };
        ASSERT_EQ(error_of([&] { fail(1); }, [&] { fail(2); }), 1);
        ASSERT_EQ(running.load(), 0);
        ASSERT_EQ(error_of([&] { fail(1); }, succeed), 1);
        ASSERT_EQ(running.load(), 0);
        ASSERT_EQ(error_of(succeed, [&] { fail(2); }), 2);
        ASSERT_EQ(running.load(), 0);
    }
}

TEST_P(ExceptionsOn, LoopStopsStartingBodiesAndJoinsTheRest) {
    for (int round = 0; round < 30; ++round) {
        std::atomic<int> running{0};
        std::atomic<int> ran{0};
        try {
            parallel_for(pool, 0, 2000, [&](int i) {
                const Running here(running);
                ++ran;
                spin_for(microseconds(1));
                if (i == 10 * round) throw Failure(i);
            });
            FAIL();
        } catch (const Failure& failure) {
            EXPECT_EQ(failure.number, 10 * round);
        }
        ASSERT_EQ(running.load(), 0);
        ASSERT_LE(ran.load(), 2000);
    }
    const PoolStats stats = pool.stats();
    EXPECT_EQ(stats.total.spawned, stats.total.completed + stats.total.failed + stats.total.cancelled);
}

// An error on a worker that is not the caller, for each kind of work.
TEST(Exceptions, ComeBackFromOtherWorkers) {
    Pool pool(2);
    const auto me = std::this_thread::get_id();
    const auto elsewhere = [&](std::atomic<bool>& started) {
        started = true;
        if (std::this_thread::get_id() != me) throw Failure(3);
    };
    const auto keep_offering = [](std::atomic<bool>& started) {
        ASSERT_TRUE(eventually([&] {
            poll_point();
            return started.load();
        }));
    };
    const PoolStats before = pool.stats();
    for (int round = 0; round < 20; ++round) {
        std::atomic<bool> started{false};
        EXPECT_THROW(pool.join([&] { keep_offering(started); }, [&] { elsewhere(started); }), Failure);
        started = false;
        EXPECT_THROW(pool.scope([&](Scope& scope) {
            scope.spawn([&] { elsewhere(started); });
            keep_offering(started);
        }),
                     Failure);
        started = false;
        EXPECT_THROW(parallel_for(pool, 0, 2,
                                  [&](int i) {
                                      if (i == 0) keep_offering(started);
                                      if (i == 1) elsewhere(started);
                                  }),
                     Failure);
    }
    // R6: each of them counts as failed where it ran.
    EXPECT_EQ(pool.stats().since(before).total.failed, 60U);
}

TEST(Exceptions, PoolGoesOnAsBeforeAfterThousandsOfThem) {
    std::atomic<int> caught{0};
    Pool pool(4);
    parallel_for(pool, 0, static_cast<int>(scaled(5000)), [&](int i) {
        try {
            throw_at_depth(pool, i % 7);
        } catch (const Failure&) {
            ++caught;
        }
    });
    EXPECT_EQ(caught.load(), static_cast<int>(scaled(5000)));
}

}  // namespace
}  // namespace quarry
