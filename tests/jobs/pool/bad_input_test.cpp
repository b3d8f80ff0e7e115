// Absurd options, callables that throw while they are copied, pools destroyed from within. For a system that refuses
// threads see thread_failure_test.cpp.
#include <array>
#include <atomic>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/scope.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

void expect_refused(const PoolOptions& options, const std::string& option, const std::string& range) {
    const std::size_t threads = threads_of_process();
    try {
        const Pool pool(options);
        FAIL() << option << " was accepted";
    } catch (const std::invalid_argument& refusal) {
        EXPECT_NE(std::string(refusal.what()).find(option), std::string::npos) << refusal.what();
        EXPECT_NE(std::string(refusal.what()).find(range), std::string::npos) << refusal.what();
    }
    EXPECT_EQ(threads_of_process(), threads);
}

TEST(BadInput, OptionsOutOfRangeAreRefusedByNameAndRange) {
    for (const int workers : {-1, -1'000'000'000, 1025, 1'000'000'000}) {
        expect_refused(PoolOptions{.workers = workers}, "workers", "0 to 1024");
    }
    for (const std::size_t capacity : {std::size_t{0}, std::size_t{1'048'577}, ~std::size_t{0}}) {
        expect_refused(PoolOptions{.workers = 1, .queue_capacity = capacity}, "queue_capacity", "1 to 1048576");
    }
    for (const std::size_t batch : {std::size_t{0}, std::size_t{257}, ~std::size_t{0}}) {
        expect_refused(PoolOptions{.workers = 1, .steal_batch = batch}, "steal_batch", "1 to 256");
    }
}

TEST(BadInput, OptionsAtTheirLimitsAreAccepted) {
    EXPECT_GE(Pool(0).worker_count(), 1);
    Pool small(PoolOptions{.workers = 1, .queue_capacity = 1, .steal_batch = 1});
    EXPECT_EQ(small.submit([] { return 1; }).get(), 1);
    Pool large(PoolOptions{.workers = 2, .queue_capacity = 1'048'576, .steal_batch = 256});
    EXPECT_EQ(large.submit([] { return 1; }).get(), 1);
    if (!kSanitized) {
        const Pool crowd(PoolOptions{.workers = 1024, .queue_capacity = 1});
        EXPECT_EQ(crowd.worker_count(), 1024);
    }
}

TEST(BadInput, NamesOfAnyLengthAreAccepted) {
    for (const std::string& name : {std::string(), std::string(1000, 'x'), std::string("\xc3\xa4\xc3\xb6\n")}) {
        Pool pool(PoolOptions{.workers = 1, .name = name});
        EXPECT_EQ(pool.submit([] { return 2; }).get(), 2);
    }
}

// A callable whose copy throws, while others are alive that count what is left of them.
struct ThrowsWhenCopied {
    explicit ThrowsWhenCopied(std::atomic<int>& count, bool armed = true) : alive(&count), throws(armed) { ++*alive; }
    ThrowsWhenCopied(const ThrowsWhenCopied& other) : alive(other.alive), throws(other.throws) {
        if (throws) throw std::runtime_error("copy");
        ++*alive;
    }
    ThrowsWhenCopied& operator=(const ThrowsWhenCopied&) = delete;
    ~ThrowsWhenCopied() { --*alive; }
    int operator()() const { return 1; }

    std::atomic<int>* alive;
    bool throws;
};
struct LargeThrowsWhenCopied : ThrowsWhenCopied {
    using ThrowsWhenCopied::ThrowsWhenCopied;
    std::array<std::byte, 500> bytes{};
};

TEST(BadInput, CallableThatThrowsWhileBeingCopiedLeavesNothingBehind) {
    std::atomic<int> alive{0};
    std::atomic<int> ran{0};
    Pool pool(2);
    const auto refuse = [&](const auto& callable) {
        for (int i = 0; i < 300; ++i) {
            EXPECT_THROW(pool.submit(callable), std::runtime_error);
            pool.scope([&](Scope& scope) {
                scope.spawn([&] { ++ran; });
                EXPECT_THROW(scope.spawn(callable), std::runtime_error);
                scope.spawn([&] { ++ran; });
            });
        }
    };
    {
        refuse(ThrowsWhenCopied(alive));
        refuse(LargeThrowsWhenCopied(alive));
    }
    EXPECT_EQ(ran.load(), 1200);
    EXPECT_EQ(alive.load(), 0);
    const PoolStats stats = pool.stats();
    EXPECT_EQ(stats.total.spawned, 1200U) << "a job that was never made does not count";
    EXPECT_EQ(stats.total.completed, 1200U);
    // The same callables without the defect.
    EXPECT_EQ(pool.submit(ThrowsWhenCopied(alive, false)).get(), 1);
    EXPECT_EQ(pool.submit(LargeThrowsWhenCopied(alive, false)).get(), 1);
    EXPECT_EQ(alive.load(), 0);
}

// A result that throws while it is moved to its place is the job's error.
TEST(BadInput, ResultThatThrowsWhileBeingMovedIsTheJobsError) {
    struct Stubborn {
        Stubborn() = default;
        Stubborn(Stubborn&&) { throw std::runtime_error("move"); }  // NOLINT(*-noexcept-move-constructor)
        Stubborn& operator=(Stubborn&&) = delete;
    };
    Pool pool(2);
    std::vector<JobError> errors;
    pool.scope(
        [&](Scope& scope) {
            scope.spawn([] {
                Stubborn result;
                return result;
            });
        },
        ScopeOptions{.errors = &errors});
    EXPECT_EQ(errors.size(), 1U);
    EXPECT_EQ(pool.stats().total.failed, 1U);
}

class BadInputDeath : public testing::Test {
  protected:
    // Starts the program again, so that the child has no threads but its own.
    BadInputDeath() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(BadInputDeath, PoolDestroyedByItsOwnJobSaysSoAndTerminates) {
    const auto destroy_in_job = [] {
        auto* pool = new Pool(2);
        pool->submit([pool] { delete pool; });
        for (;;) pause();
    };
    EXPECT_EXIT(destroy_in_job(), testing::KilledBySignal(SIGABRT), "destroyed by one of its own jobs");
}

TEST_F(BadInputDeath, PoolDestroyedInsideItsOwnScopeSaysSoAndTerminates) {
    const auto destroy_in_scope = [] {
        auto* pool = new Pool(1);
        pool->scope([&](Scope&) { delete pool; });
    };
    EXPECT_EXIT(destroy_in_scope(), testing::KilledBySignal(SIGABRT), "destroyed by one of its own jobs");
}

TEST_F(BadInputDeath, PoolDestroyedByItsJobInsideAnotherPoolSaysSoAndTerminates) {
    const auto destroy_elsewhere = [] {
        auto* pool = new Pool(1);
        pool->submit([pool] {
            Pool other(1);
            other.scope([&](Scope&) { delete pool; });
        });
        for (;;) pause();
    };
    EXPECT_EXIT(destroy_elsewhere(), testing::KilledBySignal(SIGABRT), "destroyed by one of its own jobs");
}

TEST(BadInput, MoreGuestsThanPlacesGetAnError) {
    std::atomic<int> inside{0};
    std::atomic<int> refused{0};
    std::atomic<bool> release{false};
    Pool pool(1);
    constexpr int kThreads = 260;  // 256 places
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([&] {
                try {
                    pool.scope([&](Scope&) {
                        ++inside;
                        while (!release) std::this_thread::yield();
                    });
                } catch (const Error&) {
                    ++refused;
                }
            });
        }
        EXPECT_TRUE(eventually([&] { return inside + refused == kThreads; }));
        release = true;
    }
    EXPECT_EQ(inside.load(), 256);
    EXPECT_EQ(refused.load(), 4);
}

}  // namespace
}  // namespace quarry
