// Pool::stop_shared() beside free functions of other threads.
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/join.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

int fib(int n) {
    if (n < 2) return n;
    const auto [left, right] = join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return left + right;
}

TEST(SharedPool, MayBeStoppedWhileOtherThreadsJoin) {
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    std::atomic<int> joins{0};
    {
        std::vector<std::jthread> users;
        for (int user = 0; user < 3; ++user) {
            users.emplace_back([&] {
                while (!stop) {
                    wrong += fib(12) == 144 ? 0 : 1;
                    ++joins;
                }
            });
        }
        for (std::size_t i = 0; i < scaled(400); ++i) {
            Pool::stop_shared();
            const int before = joins;
            EXPECT_TRUE(eventually([&] { return joins > before; }));
        }
        stop = true;
    }
    EXPECT_EQ(wrong.load(), 0);
    Pool::stop_shared();
}

// What a closure of such a join submits is finished before the pool goes.
TEST(SharedPool, FinishesWhatAJoinSubmitsWhileItIsStopped) {
    for (int round = 0; round < static_cast<int>(scaled(100)); ++round) {
        std::atomic<bool> inside{false};
        std::atomic<int> ran{0};
        std::jthread user([&] {
            join(
                [&] {
                    inside = true;
                    std::this_thread::sleep_for(microseconds(300));
                    Pool::current()->submit([&] { ++ran; });
                },
                [] {});
        });
        EXPECT_TRUE(eventually([&] { return inside.load(); }));
        Pool::stop_shared();
        user.join();
        ASSERT_EQ(ran.load(), 1);
    }
}

using SharedPoolDeathTest = testing::Test;
TEST_F(SharedPoolDeathTest, CanNotBeStoppedByAThreadThatIsInIt) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(join([] { Pool::stop_shared(); }, [] {}), "own jobs");
}

}  // namespace
}  // namespace quarry
