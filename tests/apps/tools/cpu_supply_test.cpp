#include "tools/cpu_supply.hpp"

#include <array>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/cpu_work.hpp"

namespace quarry::app {
namespace {

using namespace std::chrono_literals;

TEST(CpuShares, AreOfAllTheTimeOfAllProcessors) {
    const CpuShares shares = shares_between({1, 10, 5, 100}, {3, 15, 6, 104});
    EXPECT_DOUBLE_EQ(shares.own, 0.2);
    EXPECT_DOUBLE_EQ(shares.others, 0.3);
    EXPECT_DOUBLE_EQ(shares.stolen, 0.1);
    EXPECT_DOUBLE_EQ(shares.idle, 0.4);
}

TEST(CpuShares, OfNoTimeAreThoseOfAnIdleMachine) {
    const CpuShares shares = shares_between({1, 10, 5, 100}, {1, 10, 5, 100});
    EXPECT_EQ(shares.idle, 1);
    EXPECT_FALSE(shares.is_short());
}

TEST(CpuShares, AreShortWhereOthersTookWhatWasNeeded) {
    EXPECT_FALSE((CpuShares{.own = 1, .others = 0, .stolen = 0, .idle = 0}.is_short())) << "its own load is no excuse";
    EXPECT_FALSE((CpuShares{.own = 0.2, .others = 0.2, .stolen = 0, .idle = 0.6}.is_short()));
    EXPECT_FALSE((CpuShares{.own = 0.97, .others = 0.03, .stolen = 0, .idle = 0}.is_short()));
    EXPECT_TRUE((CpuShares{.own = 0.9, .others = 0.1, .stolen = 0, .idle = 0}.is_short()));
    EXPECT_TRUE((CpuShares{.own = 0.9, .others = 0, .stolen = 0.1, .idle = 0}.is_short()));
    EXPECT_TRUE((CpuShares{.own = 0.2, .others = 0.3, .stolen = 0, .idle = 0.5}.is_short()));
}

TEST(CpuShares, AreSaidInWords) {
    EXPECT_EQ((CpuShares{.own = 0.6, .others = 0.31, .stolen = 0.04, .idle = 0}.taken_text()),
              "other processes had 31 % of the CPU time, the machine's host 4 %");
    EXPECT_EQ((CpuShares{.own = 0.6, .others = 0.31, .stolen = 0, .idle = 0}.taken_text()),
              "other processes had 31 % of the CPU time");
}

TEST(CpuSupply, CountsWhatThisProcessComputes) {
    const CpuSupply supply;
    CpuWork::calibrate().run(std::chrono::milliseconds(300));
    const CpuShares shares = supply.shares();
    if (shares.idle == 1) GTEST_SKIP() << "the system does not say";
    EXPECT_GT(shares.own, 0);
    EXPECT_NEAR(shares.own + shares.others + shares.stolen + shares.idle, 1, 1e-9);
}

// A process that computes for 0.3 s of CPU time and then waits for the end of the pipe.
class BusyChild {
  public:
    BusyChild() {
        if (pipe(ends_.data()) != 0) throw std::runtime_error("no pipe");
        child_ = fork();
        if (child_ != 0) return;
        close(ends_[1]);
        while (thread_cpu_time() < 300ms) {
        }
        char byte = 0;
        [[maybe_unused]] const ssize_t over = read(ends_[0], &byte, 1);
        _exit(0);
    }
    BusyChild(const BusyChild&) = delete;
    BusyChild& operator=(const BusyChild&) = delete;
    ~BusyChild() {
        close(ends_[0]);
        close(ends_[1]);
        waitpid(child_, nullptr, 0);
    }

  private:
    std::array<int, 2> ends_{};
    pid_t child_ = -1;
};

TEST(CpuSupply, WorkerProcessesCountAsOwnWhileTheyLiveAndAfterwards) {
    // Without what this process needs itself, to look so often.
    const auto of_children = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        const double self = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                            static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
        return read_cpu_times().value().own - self;
    };
    const double before = of_children();
    const auto more = [&] { return of_children() - before; };
    {
        const BusyChild child;
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (more() < 0.28 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(10ms);
        EXPECT_GE(more(), 0.2);
    }
    EXPECT_GE(more(), 0.2);
    EXPECT_LT(more(), 5) << "counted more than once";
}

}  // namespace
}  // namespace quarry::app
