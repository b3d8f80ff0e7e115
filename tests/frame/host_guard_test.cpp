#include "quarry/frame/host_guard.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/os/os.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

// What a host's function does: 0 of these calls get through from elsewhere (R13).
void host_function(const HostGuard& guard) {
    guard.assert_host("Scene::attach");
}

std::string refusal(const HostGuard& guard) {
    try {
        host_function(guard);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

template <class F>
auto on_another_thread(F f) {
    decltype(f()) result{};
    std::thread([&] {
        impl::os::set_thread_name("other");
        result = f();
    }).join();
    return result;
}

class HostGuardTest : public testing::Test {
  protected:
    HostGuardTest() { impl::os::set_thread_name("the host"); }
    ~HostGuardTest() override { impl::os::set_thread_name(name_before_); }

  private:
    std::string name_before_ = impl::os::thread_name();
};

TEST_F(HostGuardTest, TheThreadThatMadeItPasses) {
    const HostGuard guard;
    EXPECT_TRUE(guard.is_host());
    EXPECT_NO_THROW(host_function(guard));
    EXPECT_EQ(guard.host_name(), "the host");
}

// R13
TEST_F(HostGuardTest, WorkerThatCallsTheHostGetsAnErrorWithBothNames) {
    const HostGuard guard;
    Pool pool(PoolOptions{.workers = 2, .name = "miner"});
    std::vector<Task<std::string>> tasks;
    for (int i = 0; i < 50; ++i) tasks.push_back(pool.submit([&] { return refusal(guard); }));
    ASSERT_TRUE(eventually([&] { return tasks.back().ready(); }));
    const std::string before =
        "Scene::attach is for the host's thread \"the host\"; it was called on another thread, \"";
    for (Task<std::string>& task : tasks) {
        if (!eventually([&] { return task.ready(); })) FAIL();
        const std::string message = task.get();
        EXPECT_TRUE(message == before + "miner-0\"" || message == before + "miner-1\"") << message;
    }
    EXPECT_TRUE(guard.is_host());
}

TEST_F(HostGuardTest, ErrorOfAWorkersCallArrivesWhereItsTaskIsWaitedFor) {
    const HostGuard guard;
    Pool pool(1);
    Task<void> task = pool.submit([&] { host_function(guard); });
    ASSERT_TRUE(eventually([&] { return task.ready(); }));
    EXPECT_THROW(task.get(), Error);
}

TEST_F(HostGuardTest, ThreadThatNeverHadARoleIsNotTheHostOfAReleasedGuard) {
    HostGuard guard;
    guard.release();
    EXPECT_FALSE(guard.is_host());
    EXPECT_FALSE(on_another_thread([&] { return guard.is_host(); }));
    EXPECT_EQ(guard.host_name(), "");
    EXPECT_EQ(refusal(guard),
              "Scene::attach is for the host's thread, but none has that role since release(); it was called on the "
              "thread \"the host\"");
}

TEST_F(HostGuardTest, RolePassesByReleaseAndAdopt) {
    HostGuard guard;
    const HostGuard copy = guard;
    std::atomic<bool> adopted{false};
    std::atomic<bool> checked{false};
    guard.release();
    std::thread other([&] {
        impl::os::set_thread_name("other");
        guard.adopt();
        EXPECT_TRUE(guard.is_host());
        EXPECT_TRUE(copy.is_host()) << "copies share the role";
        adopted = true;
        EXPECT_TRUE(eventually([&] { return checked.load(); }));
    });
    EXPECT_TRUE(eventually([&] { return adopted.load(); }));
    EXPECT_FALSE(guard.is_host());
    EXPECT_EQ(refusal(guard),
              "Scene::attach is for the host's thread \"other\"; it was called on another thread, \"the host\"");
    EXPECT_THROW(guard.release(), Error) << "only the host's thread can give the role away";
    checked = true;
    other.join();
}

TEST_F(HostGuardTest, NobodyTakesTheRoleFromALivingHost) {
    HostGuard guard;
    const std::string message = on_another_thread([&]() -> std::string {
        try {
            guard.adopt();
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    });
    EXPECT_EQ(message,
              "HostGuard::adopt: the thread \"the host\" is the host's, so \"other\" cannot be; it has to call "
              "release() first");
    EXPECT_TRUE(guard.is_host());
    EXPECT_NO_THROW(guard.adopt()) << "the host itself may";
}

TEST_F(HostGuardTest, HostThatEndedIsNamedAndAnotherThreadMayFollow) {
    std::optional<HostGuard> guard;
    on_another_thread([&] {
        guard.emplace();
        return guard->is_host();
    });
    EXPECT_FALSE(guard->is_host());
    EXPECT_EQ(
        refusal(*guard),
        "Scene::attach is for the host's thread \"other\", which has ended without release(); it was called on the "
        "thread \"the host\"");
    guard->adopt();
    EXPECT_TRUE(guard->is_host());
    EXPECT_EQ(guard->host_name(), "the host");
}

// The system uses a thread's number again as soon as it has ended.
TEST_F(HostGuardTest, LaterThreadIsNeverTakenForAHostThatEnded) {
    int same_number = 0;
    for (int round = 0; round < 200; ++round) {
        std::optional<HostGuard> guard;
        std::thread::id host;
        std::thread([&] {
            guard.emplace();
            host = std::this_thread::get_id();
        }).join();
        std::thread([&] {
            if (std::this_thread::get_id() == host) ++same_number;
            EXPECT_FALSE(guard->is_host());
            const HostGuard own;  // it gets a token, too
            EXPECT_FALSE(guard->is_host());
            EXPECT_TRUE(own.is_host());
        }).join();
    }
    EXPECT_GT(same_number, 0) << "or the test could not fail";
}

TEST_F(HostGuardTest, GuardsAreIndependent) {
    HostGuard first;
    const HostGuard second;
    first.release();
    EXPECT_FALSE(first.is_host());
    EXPECT_TRUE(second.is_host());
}

TEST_F(HostGuardTest, RoleOutlivesTheGuardThatMadeIt) {
    std::optional<HostGuard> first(std::in_place);
    const HostGuard copy = *first;
    first.reset();
    EXPECT_TRUE(copy.is_host());
    EXPECT_EQ(on_another_thread([&] { return refusal(copy); }),
              "Scene::attach is for the host's thread \"the host\"; it was called on another thread, \"other\"");
}

// Cheap enough for every call: less than the clock is read in. The bound is loose on purpose.
TEST_F(HostGuardTest, CheckCostsAComparison) {
    if (!kFullSpeed) return;
    const HostGuard guard;
    const double best = best_of(10, 3e-3, [&] {
        const auto start = Clock::now();
        for (int i = 0; i < 1'000'000; ++i) {
            guard.assert_host("this");
            asm volatile("" ::: "memory");
        }
        return seconds_since(start);
    });
    EXPECT_LT(best, 10e-3) << "seconds for a million checks";
}

}  // namespace
}  // namespace quarry
