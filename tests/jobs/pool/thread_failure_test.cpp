// A system that refuses threads: an error, and nothing is left of the pool that could not be made. In the program that
// counts all allocations of its process.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/counting_allocator.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

// Ends the process that a death test has started, with a reason that the test prints.
[[noreturn]] void give_up(const std::string& reason) {
    std::fprintf(stderr, "%s\n", reason.c_str());
    std::_Exit(1);
}

struct Holdings {
    std::size_t threads = threads_of_process();
    std::size_t files = open_files_of_process();
    std::int64_t bytes = live_bytes();
};

// The limit does not hold for root.
void become_nobody() {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) give_up("cannot give up the rights of root");
    // A sanitizer adds a thread of its own to the first one that is made.
    std::thread([] {}).join();
}
void allow_threads(rlim_t most) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NPROC, &limit) != 0) give_up("cannot read the limit");
    limit.rlim_cur = std::min(most, limit.rlim_max);
    if (setrlimit(RLIMIT_NPROC, &limit) != 0) give_up("cannot set the limit");
}

bool is_refused(int workers) {
    try {
        const Pool pool(workers);
        return false;
    } catch (const Error& error) {
        if (std::string(error.what()).find("cannot start worker thread") == std::string::npos) give_up(error.what());
        return true;
    }
}

// What a first failure leaves is made once a process; all later ones together must leave nothing.
void expect_failures_to_leave_nothing(int workers, std::size_t threads_before) {
    if (!is_refused(workers)) give_up("the pool was made");
    if (!threads_return_to(threads_before)) give_up("threads are left");
    const Holdings before;
    for (int i = 0; i < 3; ++i) {
        if (!is_refused(workers)) give_up("the pool was made");
        if (!threads_return_to(before.threads)) give_up("threads are left");
    }
    const Holdings after;
    if (after.files != before.files) give_up("open files: " + std::to_string(after.files - before.files));
    if (after.bytes != before.bytes) give_up("bytes: " + std::to_string(after.bytes - before.bytes));
    std::fputs("as expected\n", stderr);
    std::_Exit(0);
}

[[noreturn]] void run_out_of_threads() {
    become_nobody();
    const std::size_t before = threads_of_process();
    allow_threads(1);
    expect_failures_to_leave_nothing(64, before);
    std::abort();
}

// The same after some have started: the system has room for few more.
[[noreturn]] void run_out_of_threads_half_way() {
    become_nobody();
    const std::size_t before = threads_of_process();
    for (rlim_t limit = 2; limit < 4096; limit += limit) {
        allow_threads(limit);
        const bool used_up = is_refused(2);  // by others of this user
        if (!threads_return_to(before)) give_up("threads are left");
        if (!used_up) expect_failures_to_leave_nothing(1024, before);
    }
    give_up("no room at all");
}

class ThreadFailureDeath : public testing::Test {
  protected:
    // Starts the program again, so that the child has no threads but its own.
    ThreadFailureDeath() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ThreadFailureDeath, ThreadsThatCanNotBeStartedGiveAnErrorAndLeaveNothing) {
    EXPECT_EXIT(run_out_of_threads(), testing::ExitedWithCode(0), "as expected");
}

TEST_F(ThreadFailureDeath, ThreadsThatWereStartedBeforeOneFailedLeaveNothing) {
    EXPECT_EXIT(run_out_of_threads_half_way(), testing::ExitedWithCode(0), "as expected");
}

}  // namespace
}  // namespace quarry
