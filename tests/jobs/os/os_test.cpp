#include "jobs/os/os.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/jobs/os/fake_file_system.hpp"

namespace quarry::impl {
namespace {

std::string output_of(const std::string& command) {
    std::string output;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return output;
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
    pclose(pipe);
    return output;
}

// The letter that the kernel gives a thread's state: S sleeps.
char state_of(pid_t thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string text;
    std::getline(file, text);
    const auto end_of_name = text.rfind(") ");
    return end_of_name == std::string::npos ? '?' : text[end_of_name + 2];
}

class Waiter {
  public:
    explicit Waiter(std::atomic<std::uint32_t>& word)
        : thread_([this, &word] {
              id_.store(gettid());
              ext::sleep(word, 0);
              returned_.store(true);
          }) {}

    bool returned() const { return returned_.load(); }
    void await_return() const {
        while (!returned()) os::yield_thread();
    }
    void await_sleep() const {
        while (id_.load() == 0 || (state_of(id_.load()) != 'S' && !returned())) os::yield_thread();
    }

  private:
    std::atomic<pid_t> id_{0};
    std::atomic<bool> returned_{false};
    std::jthread thread_;
};

TEST(Futex, DoesNotWaitForAWordThatDiffers) {
    std::atomic<std::uint32_t> word{1};
    ext::sleep(word, 0);
}

TEST(Futex, WakesOneSleeperAndOnlyOne) {
    std::atomic<std::uint32_t> word{0};
    Waiter first(word);
    Waiter second(word);
    first.await_sleep();
    second.await_sleep();
    ASSERT_FALSE(first.returned() || second.returned());

    ext::wake_one(word);
    while (!first.returned() && !second.returned()) os::yield_thread();
    (first.returned() ? second : first).await_sleep();
    EXPECT_NE(first.returned(), second.returned());

    ext::wake_one(word);
    first.await_return();
    second.await_return();
}

TEST(Futex, WakesAllSleepers) {
    std::atomic<std::uint32_t> word{0};
    Waiter first(word);
    Waiter second(word);
    first.await_sleep();
    second.await_sleep();
    ext::wake_all(word);
    first.await_return();
    second.await_return();
}

std::int64_t monotonic_now() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TEST(Futex, WaitsNoLongerThanUntilTheDeadline) {
    std::atomic<std::uint32_t> word{0};
    const std::int64_t deadline = monotonic_now() + 20'000'000;
    while (ext::sleep_until(word, 0, deadline)) {
    }
    EXPECT_GE(monotonic_now(), deadline);
    EXPECT_FALSE(ext::sleep_until(word, 0, deadline)) << "a moment that has passed";
    EXPECT_FALSE(ext::sleep_until(word, 0, -1)) << "a moment before the clock began";
}

TEST(Futex, WaitWithADeadlineEndsByAWakeUp) {
    std::atomic<std::uint32_t> word{0};
    EXPECT_TRUE(ext::sleep_until(word, 1, monotonic_now() + 60'000'000'000)) << "the word differs";
    bool in_time = true;
    std::jthread waiter([&] {
        while (word.load() == 0) in_time = in_time && ext::sleep_until(word, 0, monotonic_now() + 60'000'000'000);
    });
    word.store(1);
    ext::wake_one(word);
    waiter.join();
    EXPECT_TRUE(in_time);
}

TEST(Futex, WakingAWordThatIsGoneIsHarmless) {
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    auto& word = *new (page) std::atomic<std::uint32_t>{0};
    ASSERT_EQ(munmap(page, 4096), 0);
    ext::wake_one(word);
}

std::string name_after_setting(const std::string& name) {
    std::string result;
    std::jthread([&] {
        os::set_thread_name(name);
        char buffer[64] = {};
        pthread_getname_np(pthread_self(), buffer, sizeof buffer);
        result = buffer;
    }).join();
    return result;
}

TEST(ThreadName, IsWhatWasAskedFor) {
    EXPECT_EQ(name_after_setting("quarry-3"), "quarry-3");
}

TEST(ThreadName, IsShortenedToWhatTheSystemAllows) {
    EXPECT_EQ(name_after_setting("a-name-of-many-characters"), "a-name-of-many-");
}

TEST(ThreadName, IsNotCutInsideACharacter) {
    EXPECT_EQ(name_after_setting("fourteen-bytes\u00e9"), "fourteen-bytes");
}

// R1
TEST(UsableCpus, ThreadBoundToOneCpuHasOne) {
    const int cpu = os::affinity_cpus().back();
    int usable = 0;
    std::vector<int> allowed;
    std::jthread([&] {
        cpu_set_t mask;
        CPU_ZERO(&mask);
        CPU_SET(static_cast<std::size_t>(cpu), &mask);
        ASSERT_EQ(sched_setaffinity(0, sizeof mask, &mask), 0);
        usable = os::usable_cpus();
        allowed = os::affinity_cpus();
    }).join();
    EXPECT_EQ(usable, 1);
    EXPECT_EQ(allowed, std::vector<int>{cpu});
}

// R1: as many workers as CPUs that taskset gives.
TEST(UsableCpus, PoolUnderTasksetHasAWorkerForEachCpuItGives) {
    const auto cpus = os::affinity_cpus();
    const auto workers_on = [](const std::string& list) {
        return output_of("taskset -c " + list + " " QUARRY_PRINT_USABLE_CPUS);
    };
    const std::string first = std::to_string(cpus.front());
    EXPECT_EQ(workers_on(first), "1\n");
    if (cpus.size() > 1) {
        const std::string both = first + "," + std::to_string(cpus.back());
        EXPECT_EQ(workers_on(both), std::to_string(std::min(2, os::usable_cpus())) + "\n");
    }
    EXPECT_EQ(output_of(QUARRY_PRINT_USABLE_CPUS), std::to_string(os::usable_cpus()) + "\n");
}

// R1: as many workers as the quota of a control group gives, however many CPUs there are.
TEST(UsableCpus, PoolUnderAQuotaHasNoMoreWorkersThanThatGives) {
    test::FakeFileSystem files;
    files.write("/proc/self/mountinfo", "31 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        .write("/proc/self/cgroup", "0::/app\n");
    const auto cpus = static_cast<int>(os::affinity_cpus().size());
    const auto workers_under = [&](const char* quota) {
        files.write("/sys/fs/cgroup/app/cpu.max", quota);
        return output_of(std::string(QUARRY_PRINT_USABLE_CPUS " ") + files.root());
    };
    EXPECT_EQ(workers_under("50000 100000\n"), "1\n");
    EXPECT_EQ(workers_under("150000 100000\n"), std::to_string(std::min(2, cpus)) + "\n");
    EXPECT_EQ(workers_under("max 100000\n"), std::to_string(cpus) + "\n");
}

// R1
TEST(UsableCpus, AreAtLeastOneAndAtMostTheAffinityMask) {
    EXPECT_GE(os::usable_cpus(), 1);
    EXPECT_LE(os::usable_cpus(), static_cast<int>(os::affinity_cpus().size()));
}

TEST(AffinityCpus, RiseWithoutRepeats) {
    const auto cpus = os::affinity_cpus();
    ASSERT_FALSE(cpus.empty());
    EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
    EXPECT_EQ(std::adjacent_find(cpus.begin(), cpus.end()), cpus.end());
}

TEST(Ticks, TickLengthAgreesWithTheMonotonicClock) {
    using Clock = std::chrono::steady_clock;
    const auto per_microsecond = static_cast<double>(os::ticks_per_microsecond());
    double smallest_error = 1;
    // The thread may lose its processor between two clock reads, so the best of a few tries counts.
    for (int attempt = 0; attempt < 10 && smallest_error > 0.02; ++attempt) {
        const auto start = Clock::now();
        const auto start_ticks = os::ticks();
        while (Clock::now() - start < std::chrono::milliseconds(5)) os::cpu_relax();
        const auto ticks = static_cast<double>(os::ticks() - start_ticks);
        const double microseconds = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
        smallest_error = std::min(smallest_error, std::abs(ticks / per_microsecond / microseconds - 1));
    }
    EXPECT_LE(smallest_error, 0.02);
}

}  // namespace
}  // namespace quarry::impl
