#include <filesystem>

#include <fcntl.h>
#include <quarry/jobs/error.hpp>
#include <sys/wait.h>

#include "tests/process/support.hpp"

// Start, end, and what is left behind.
namespace {

using namespace process_tests;
using quarry::process::Readiness;
using quarry::process::Refusal;
using quarry::process::ShutdownReport;

class ProcessLife : public testing::TestWithParam<bool> {
  protected:
    static EngineOptions options(int workers) { return small_engine(workers, GetParam()); }
};

std::string why_it_does_not_start(EngineOptions options) {
    try {
        const Engine engine(std::move(options));
    } catch (const quarry::Error& error) {
        return error.what();
    }
    return "it started";
}

TEST(ProcessOptions, OutOfRangeAreNamed) {
    const auto refused = [](auto change) {
        EngineOptions options = small_engine(1);
        change(options);
        EXPECT_THROW(const Engine engine(options), std::invalid_argument);
    };
    refused([](EngineOptions& each) { each.workers = 0; });
    refused([](EngineOptions& each) { each.workers = 10'000; });
    refused([](EngineOptions& each) { each.workers = -1; });
    refused([](EngineOptions& each) { each.job_queue = 0; });
    refused([](EngineOptions& each) { each.result_queue = 0; });
    refused([](EngineOptions& each) { each.heartbeat = 1ms; });
    refused([](EngineOptions& each) { each.ring_slots = 100; });
    refused([](EngineOptions& each) { each.command.clear(); });
    refused([](EngineOptions& each) { each.spares = -1; });
    refused([](EngineOptions& each) { each.result_arena = 0; });
    refused([](EngineOptions& each) { each.max_payload = 0; });
}

TEST_P(ProcessLife, AMissingExecutableIsSaid) {
    EngineOptions missing = options(2);
    missing.command = {"/no/such/worker"};
    const std::string why = why_it_does_not_start(missing);
    EXPECT_NE(why.find("/no/such/worker"), std::string::npos) << why;
    EXPECT_NE(why.find("No such file"), std::string::npos) << why;
}

TEST_P(ProcessLife, AProgramThatIsNoWorkerIsSaid) {
    EngineOptions other = options(2);
    other.command = {"/bin/true"};
    EXPECT_NE(why_it_does_not_start(other).find("exited with status 0 before it was ready"), std::string::npos);
    other.command = {QUARRY_TEST_WORKER, "exit"};
    EXPECT_NE(why_it_does_not_start(other).find("exited with status 5"), std::string::npos);
    other.command = {QUARRY_TEST_WORKER, "hang"};
    other.start_timeout = 300ms;
    EXPECT_NE(why_it_does_not_start(other).find("within 300 ms"), std::string::npos);
    EXPECT_TRUE(children().empty());
}

TEST_P(ProcessLife, AWorkerOfAnotherVersionIsSaid) {
    EngineOptions other = options(1);
    other.command = {"/bin/sh", "-c", "QUARRY_CHANNEL=9999:3 exec " QUARRY_TEST_WORKER};
    EXPECT_NE(why_it_does_not_start(other).find("another version"), std::string::npos);
}

TEST_P(ProcessLife, WhatAWorkerSaysThatCannotServeReachesTheHost) {
    EngineOptions other = options(2);
    other.command = {QUARRY_TEST_WORKER, "refuse"};
    const std::string why = why_it_does_not_start(other);
    EXPECT_NE(why.find("ImportError: no module named nowhere\nTraceback: line 1"), std::string::npos) << why;
}

// It may have ended before the host looks.
TEST_P(ProcessLife, WhatAWorkerSaysThatLeavesAtOnceReachesTheHostEachTime) {
    EngineOptions other = options(4);
    other.command = {QUARRY_TEST_WORKER, "refuse and leave"};
    for (int i = 0; i < 10; ++i) {
        const std::string why = why_it_does_not_start(other);
        ASSERT_NE(why.find("ImportError: no module named nowhere"), std::string::npos) << why;
    }
}

TEST(ProcessWorker, StartedByHandItSaysWhatItIs) {
    const int status = std::system(QUARRY_TEST_WORKER " 2>/dev/null");  // NOLINT: its own command
    EXPECT_EQ(WEXITSTATUS(status), 2);
}

// R47
TEST_P(ProcessLife, StartsAndStopsAgainAndAgainLeavingNothing) {
    const char* wanted = std::getenv("QUARRY_CYCLES");  // NOLINT(concurrency-mt-unsafe): nobody sets it
    const int cycles = wanted != nullptr ? std::atoi(wanted) : 20;
    { Engine warm(options(1)); }
    const std::size_t before = open_descriptors();
    for (int i = 0; i < cycles; ++i) {
        Engine engine(options(2));
        ASSERT_TRUE(engine.submit("echo", "x"));
        if (i % 2 == 0) {
            ASSERT_TRUE(engine.drain(in(kLong)));
        }
        const ShutdownReport report = engine.shutdown(10s);
        EXPECT_EQ(report.exited, 2);
        EXPECT_EQ(report.killed, 0);
    }
    EXPECT_EQ(open_descriptors(), before);
    EXPECT_TRUE(children().empty());
}

TEST_P(ProcessLife, AShutdownBesideAnotherOneShortensIt) {
    Engine engine(options(1));
    const std::string slept = testing::TempDir() + "quarry_shorten_" + std::to_string(getpid());
    ASSERT_TRUE(engine.submit("note_and_sleep", std::as_bytes(std::span(slept))));
    ASSERT_TRUE(eventually([&] { return std::filesystem::remove(slept); }));
    ShutdownReport report;
    std::thread patient([&] { report = engine.shutdown(1h); });
    ASSERT_TRUE(eventually([&] { return engine.submit("ping").refusal == Refusal::shut_down; }));
    const ShutdownReport beside = engine.shutdown(0ms);
    EXPECT_EQ(beside.killed + beside.exited, 0);
    patient.join();
    EXPECT_EQ(report.killed, 1);
    EXPECT_EQ(report.lost, 1U);
}

// R38
TEST_P(ProcessLife, ShutdownHoldsItsTimeoutWithBusyHungAndDeadWorkers) {
    const std::string slept = testing::TempDir() + "quarry_slept_" + std::to_string(getpid());
    const std::string stopped = testing::TempDir() + "quarry_stopped_" + std::to_string(getpid());
    Engine engine(options(4));
    ASSERT_TRUE(engine.submit("note_and_sleep", std::as_bytes(std::span(slept)), {.worker = 0}));
    ASSERT_TRUE(engine.submit("note_and_stop", std::as_bytes(std::span(stopped)), {.worker = 1}));
    ASSERT_TRUE(engine.submit("kill", "", {.worker = 2}));
    const auto quick = engine.submit("sleep_ms", bytes_of(50U), {.worker = 3});
    ASSERT_TRUE(quick);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(engine.submit("sleep_ms", bytes_of(60'000U)));
    ASSERT_TRUE(eventually([&] { return engine.stats().lost == 1; }));
    // One that has not begun its job yet would end by itself.
    ASSERT_TRUE(eventually([&] { return std::filesystem::remove(slept); }));
    ASSERT_TRUE(eventually([&] { return std::filesystem::remove(stopped); }));
    std::vector<int> processes;
    for (const auto& worker : engine.health().workers) processes.push_back(worker.process);
    const auto start = std::chrono::steady_clock::now();
    const ShutdownReport report = engine.shutdown(500ms);
    const auto took = std::chrono::steady_clock::now() - start;
    EXPECT_GE(took, 500ms);
    EXPECT_LT(took, 20s);
    EXPECT_GE(report.killed, 2);
    EXPECT_EQ(report.killed + report.exited, 4);
    EXPECT_TRUE(children().empty());
    for (const int process : processes) EXPECT_FALSE(is_running(process));
    EXPECT_EQ(engine.submit("ping").refusal, Refusal::shut_down);
    EXPECT_EQ(engine.ready(), Readiness::failed);
    // All have a result, and it can still be had.
    EXPECT_EQ(engine.poll().size(), 104U);
    expect_balanced(engine.stats());
    const auto again = engine.shutdown(10s);
    EXPECT_EQ(again.killed + again.exited, 0);
}

TEST_P(ProcessLife, DegradedWhileAWorkerIsAway) {
    EngineOptions quick = options(2);
    Engine engine(quick);
    kill(engine.health().workers[1].process, SIGSTOP);
    EXPECT_EQ(engine.ready(), Readiness::ready) << "nobody has noticed yet";
    kill(engine.health().workers[1].process, SIGKILL);
    EXPECT_TRUE(eventually([&] { return engine.stats().restarts == 1; }));
    EXPECT_TRUE(eventually([&] { return engine.ready() == Readiness::ready; }));
    EXPECT_EQ(engine.health().workers[1].last_death, "ended by SIGKILL");
}

#if !defined(__SANITIZE_THREAD__)
// A host in a process of its own, which this one kills.
struct HostProcess {
    pid_t process = -1;
    pid_t child = -1;  // of the host, where it has one
    std::vector<int> workers;
};

HostProcess start_host(const EngineOptions& options, bool with_fork, const char* job) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    HostProcess host;
    host.process = fork();
    if (host.process == 0) {
        close(ends[0]);
        Engine* engine = new Engine(options);
        const auto tell = [&](int number) {
            [[maybe_unused]] const auto written = write(ends[1], &number, sizeof number);
        };
        if (job != nullptr) {
            for (int i = 0; i < options.workers; ++i) engine->submit(job, "", {.worker = i});
        }
        // A child of the host keeps every descriptor that the host has, but the one that this test reads from.
        const pid_t child = with_fork ? fork() : -1;
        if (child == 0) {
            close(ends[1]);
            alarm(60);
            for (;;) pause();
        }
        tell(child);
        for (const auto& worker : engine->health().workers) tell(worker.process);
        std::this_thread::sleep_for(300ms);
        close(ends[1]);
        for (;;) pause();
    }
    close(ends[1]);
    int number = 0;
    if (read(ends[0], &number, sizeof number) == sizeof number) host.child = number;
    while (read(ends[0], &number, sizeof number) == sizeof number) host.workers.push_back(number);
    close(ends[0]);
    return host;
}

void kill_host_and_expect_no_worker(const HostProcess& host) {
    ASSERT_FALSE(host.workers.empty());
    for (const int worker : host.workers) EXPECT_TRUE(is_running(worker));
    kill(host.process, SIGKILL);
    waitpid(host.process, nullptr, 0);
    const auto start = std::chrono::steady_clock::now();
    for (const int worker : host.workers) {
        EXPECT_TRUE(eventually([&] { return !is_running(worker); }, 20s)) << "an orphan";
    }
    // A second is what is promised; a machine that does ten other things at once may take longer.
    EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
    if (host.child > 0) {
        EXPECT_TRUE(is_running(host.child)) << "the host had no child any more when it was killed";
        kill(host.child, SIGKILL);
    }
}

TEST_P(ProcessLife, WorkersEndWithTheirHost) {
    kill_host_and_expect_no_worker(start_host(options(2), false, nullptr));
}

TEST_P(ProcessLife, BusyWorkersEndWithTheirHost) {
    kill_host_and_expect_no_worker(start_host(options(2), false, "until_asked"));
}

TEST_P(ProcessLife, StoppedWorkersEndWithTheirHost) {
    kill_host_and_expect_no_worker(start_host(options(2), false, "stop"));
}

TEST_P(ProcessLife, WorkersOfAHostThatForkedEndWithIt) {
    kill_host_and_expect_no_worker(start_host(options(2), true, nullptr));
}

TEST_P(ProcessLife, AHostThatWasStoppedCondemnsNobody) {
    EngineOptions quick = options(2);
    quick.heartbeat = 300ms;
    const HostProcess host = start_host(quick, false, nullptr);
    kill(host.process, SIGSTOP);
    std::this_thread::sleep_for(1500ms);
    kill(host.process, SIGCONT);
    std::this_thread::sleep_for(1500ms);
    for (const int worker : host.workers) EXPECT_TRUE(is_running(worker)) << "it was killed for its host's silence";
    kill_host_and_expect_no_worker(host);
}

TEST_P(ProcessLife, AForkedChildOfTheHostLeavesTheWorkersAlone) {
    Engine engine(options(1));
    const pid_t child = fork();
    if (child == 0) {
        const bool refused = engine.submit("ping").refusal == Refusal::shut_down && engine.poll().empty();
        engine.~Engine();
        _exit(refused ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(run_one(engine, "ping").status, Status::ok);
    EXPECT_EQ(engine.stats().restarts, 0U);
}
#endif

// R11, R50
TEST_P(ProcessLife, NothingIsPrinted) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    {
        Engine engine(options(1));
        run_one(engine, "throw", std::as_bytes(std::span("x", 1)));
        run_one(engine, "exit");
        run_one(engine, "ping");
    }
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_P(ProcessLife, NothingIsLeftInAFileSystem) {
    const auto memories = [] {
        std::size_t count = 0;
        for (const auto& each : std::filesystem::directory_iterator("/dev/shm")) {
            count += each.path().filename().string().find("quarry") == 0 ? 1U : 0U;
        }
        return count;
    };
    Engine engine(options(2));
    EXPECT_EQ(memories(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Systems, ProcessLife, testing::Values(false, true), kSystemName);

}  // namespace
