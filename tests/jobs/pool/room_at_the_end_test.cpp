// Threads that wait for room while the pool is being destroyed: each is served or told (R4, R7).
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

// A pool whose only worker sleeps in a job, until release(), and whose queue has no room. Whoever is to wait for room
// says so first.
class FullPool {
  public:
    FullPool() : pool_(std::make_unique<Pool>(PoolOptions{.workers = 1, .queue_capacity = 1})) {
        pool_->submit([&] {
            busy_ = true;
            released_.wait(false);
        });
        EXPECT_TRUE(eventually([&] { return busy_.load(); }));
        pool_->submit([] {});
    }
    FullPool(const FullPool&) = delete;
    FullPool& operator=(const FullPool&) = delete;
    ~FullPool() { release(); }

    Pool& about_to_wait() {
        Pool& pool = *pool_;
        ++waiters_;
        return pool;
    }
    [[nodiscard]] bool all_wait(int expected) const {
        return eventually([&] { return waiters_ == expected && all_others_sleep() && all_others_sleep(); });
    }
    void release() {
        released_ = true;
        released_.notify_all();
    }
    void end() { pool_.reset(); }

  private:
    std::atomic<bool> busy_{false};
    std::atomic<bool> released_{false};
    std::atomic<int> waiters_{0};
    std::unique_ptr<Pool> pool_;  // the last member: its end waits for the jobs
};

// Its move calls something first.
template <class InMove>
struct Mover {
    Mover(InMove first, std::atomic<int>& count) : in_move(first), ran(&count) {}
    Mover(Mover&& other) noexcept : in_move(other.in_move), ran(other.ran) { in_move(); }
    Mover& operator=(Mover&&) = delete;
    void operator()() const { ++*ran; }

    InMove in_move;
    std::atomic<int>* ran;
};

// R4: a submit that has waited and got room is served: the pool does not end before its job, which is not made yet.
TEST(RoomAtTheEnd, PoolDoesNotEndBeforeASubmitThatGotRoom) {
    std::atomic<bool> moving{false};
    std::atomic<bool> go_on{false};
    std::atomic<bool> ended{false};
    std::atomic<int> ran{0};
    FullPool full;
    std::jthread submitter([&] {
        const auto wait_in_move = [&] {
            moving = true;
            EXPECT_TRUE(eventually([&] { return go_on.load(); }));
        };
        full.about_to_wait().submit(Mover(wait_in_move, ran));
    });
    ASSERT_TRUE(full.all_wait(1));
    full.release();
    ASSERT_TRUE(eventually([&] { return moving.load(); }));
    std::jthread destroyer([&] {
        full.end();
        ended = true;
    });
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_FALSE(ended.load());
    go_on = true;
    submitter.join();
    destroyer.join();
    EXPECT_EQ(ran.load(), 1);
}

TEST(RoomAtTheEnd, PoolEndsAfterASubmitThatGotRoomAndThrew) {
    std::atomic<bool> moving{false};
    std::atomic<bool> go_on{false};
    struct Thrower {
        Thrower(std::atomic<bool>& in, std::atomic<bool>& out) : moving(&in), go_on(&out) {}
        Thrower(const Thrower& other) : moving(other.moving), go_on(other.go_on) {
            *moving = true;
            EXPECT_TRUE(eventually([&] { return go_on->load(); }));
            throw std::runtime_error("copy");
        }
        Thrower& operator=(const Thrower&) = delete;
        void operator()() const {}
        std::atomic<bool>* moving;
        std::atomic<bool>* go_on;
    };
    FullPool full;
    std::jthread submitter([&] {
        const Thrower callable(moving, go_on);
        EXPECT_THROW(full.about_to_wait().submit(callable), std::runtime_error);
    });
    ASSERT_TRUE(full.all_wait(1));
    full.release();
    ASSERT_TRUE(eventually([&] { return moving.load(); }));
    std::jthread destroyer([&] { full.end(); });
    std::this_thread::sleep_for(milliseconds(5));  // so that mostly all others have looked for the end by then
    go_on = true;
}

// The same at any moment between room and job: each is run or told.
TEST(RoomAtTheEnd, WaitingSubmittersAreServedOrToldWhenThePoolEndsMeanwhile) {
    constexpr int kWaiters = 3;
    for (int round = 0; round < static_cast<int>(scaled(30, 3)); ++round) {
        std::atomic<int> ran{0};
        std::atomic<int> refused{0};
        FullPool full;
        std::vector<std::jthread> waiters;
        for (int i = 0; i < kWaiters; ++i) {
            waiters.emplace_back([&] {
                const auto yield_in_move = [] {
                    for (int times = 0; times < 20; ++times) std::this_thread::yield();
                };
                try {
                    full.about_to_wait().submit(Mover(yield_in_move, ran));
                } catch (const Error&) {
                    ++refused;
                }
            });
        }
        ASSERT_TRUE(full.all_wait(kWaiters));
        full.release();
        if (round % 2 == 0) spin_for(microseconds(round));
        full.end();
        waiters.clear();
        EXPECT_EQ(ran + refused, kWaiters);
    }
}

}  // namespace
}  // namespace quarry
