#include <poll.h>
#include <quarry/frame/frame_ledger.hpp>
#include <quarry/jobs/error.hpp>

#include "tests/process/support.hpp"

// What an engine does while its workers do what they should. Each test runs with both implementations of the system's
// interface.
namespace {

using namespace process_tests;
using quarry::process::Cancel;
using quarry::process::JobRequest;
using quarry::process::QueueLevel;
using quarry::process::Readiness;
using quarry::process::Refusal;

class ProcessEngine : public testing::TestWithParam<bool> {
  protected:
    static EngineOptions options(int workers) { return small_engine(workers, GetParam()); }
};

// R31
TEST_P(ProcessEngine, AllWorkersStartAndReportReady) {
    Engine engine(options(4));
    EXPECT_EQ(engine.ready(), Readiness::ready);
    const auto health = engine.health();
    ASSERT_EQ(health.workers.size(), 4U);
    for (const auto& worker : health.workers) {
        EXPECT_TRUE(worker.alive);
        EXPECT_TRUE(is_running(worker.process));
    }
    const auto handlers = engine.handlers();
    EXPECT_NE(std::find(handlers.begin(), handlers.end(), "echo"), handlers.end());
}

TEST_P(ProcessEngine, AnswersWhatWasSent) {
    Engine engine(options(2));
    EXPECT_EQ(text_of(run_one(engine, "echo", std::as_bytes(std::span("hello", 5)))), "hello");
    EXPECT_EQ(text_of(run_one(engine, "echo")), "");
    // Around the size that fits in a slot, and far beyond.
    for (const std::size_t length : {87U, 88U, 89U, 95U, 96U, 97U, 255U, 256U, 257U, 1'000'000U}) {
        std::string text(length, '?');
        for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<char>('a' + i % 26);
        const Result result = run_one(engine, "echo", std::as_bytes(std::span(text)));
        EXPECT_EQ(result.status, Status::ok);
        EXPECT_TRUE(result.payload.text() == text) << length;
    }
}

// R32, R33
TEST_P(ProcessEngine, ABurstOfTenThousandIsAcceptedAtOnceAndAllComeBack) {
    Engine engine(options(2));
    constexpr std::uint32_t kJobs = 10'000;
    std::map<JobId, std::uint32_t> sent;
    for (std::uint32_t i = 0; i < kJobs; ++i) {
        const Submitted submitted = engine.submit("echo", bytes_of(i));
        ASSERT_TRUE(submitted);
        sent[submitted.id] = i;
    }
    auto results = collect(engine, kJobs);
    ASSERT_EQ(results.size(), kJobs);
    for (auto& [id, result] : results) {
        ASSERT_EQ(result.payload.size(), sizeof(std::uint32_t));
        EXPECT_EQ(std::memcmp(result.payload.bytes().data(), &sent.at(id), sizeof(std::uint32_t)), 0);
    }
    expect_balanced(engine.stats());
}

TEST_P(ProcessEngine, ManyJobsAtOnce) {
    Engine engine(options(2));
    std::vector<JobRequest> jobs(500, JobRequest{"ping"});
    std::vector<Submitted> answers(jobs.size());
    EXPECT_EQ(engine.submit_many(jobs, answers), jobs.size());
    EXPECT_TRUE(std::all_of(answers.begin(), answers.end(), [](const Submitted& each) { return bool(each); }));
    EXPECT_TRUE(engine.drain(in(kLong)));
    EXPECT_EQ(engine.poll().size(), jobs.size());
    std::vector<Submitted> too_few(3);
    EXPECT_THROW(engine.submit_many(jobs, too_few), quarry::Error);
}

// A short one; .ci/soak asks for ten million.
TEST_P(ProcessEngine, MoreJobsThanAnyQueueHoldsAllComeBack) {
    const char* wanted = std::getenv("QUARRY_PROCESS_JOBS");  // NOLINT(concurrency-mt-unsafe): nobody sets it
    const std::size_t jobs = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 100'000;
    Engine engine(options(2));
    const std::uint64_t seven = 7;
    const std::vector<JobRequest> batch(256, JobRequest{"echo", bytes_of(seven)});
    std::vector<Result> results;
    std::size_t sent = 0;
    std::size_t back = 0;
    while (back < jobs) {
        sent += engine.submit_many(std::span(batch).first(std::min(batch.size(), jobs - sent)));
        results.clear();
        back += engine.poll_into(results);
        for (const Result& result : results) ASSERT_EQ(result.status, Status::ok) << result.text;
    }
    EXPECT_EQ(sent, jobs);
    EXPECT_EQ(engine.stats().ok, jobs);
    expect_balanced(engine.stats());
}

TEST_P(ProcessEngine, JobsGoOnWhileTheHostDoesNotCall) {
    Engine engine(options(2));
    constexpr std::uint32_t kJobs = 3'000;
    for (std::uint32_t i = 0; i < kJobs; ++i)
        ASSERT_TRUE(engine.submit("compute_heavy", bytes_of(std::array{10U, 50U})));
    // stats looks at results but hands out no job.
    EXPECT_TRUE(eventually([&] { return engine.stats().waiting == 0; }));
    EXPECT_TRUE(eventually([&] { return engine.stats().results == kJobs; }));
}

TEST_P(ProcessEngine, AHandlersErrorIsTheJobsError) {
    Engine engine(options(1));
    const Result result = run_one(engine, "throw", std::as_bytes(std::span("what went wrong", 15)));
    EXPECT_EQ(result.status, Status::error);
    EXPECT_EQ(result.text, "what went wrong");
    const std::string longer(5'000, 'e');
    EXPECT_EQ(run_one(engine, "throw", std::as_bytes(std::span(longer))).text, longer);
    EXPECT_EQ(run_one(engine, "throw_int").status, Status::error);
    EXPECT_EQ(run_one(engine, "ping").status, Status::ok);
    EXPECT_EQ(engine.stats().restarts, 0U);
}

TEST_P(ProcessEngine, RefusesWithAReason) {
    EngineOptions limited = options(1);
    limited.job_queue = 10;
    limited.max_payload = 1'000;
    Engine engine(limited);
    const std::string large(1'001, 'x');
    EXPECT_EQ(engine.submit("echo", large).refusal, Refusal::payload_too_large);
    EXPECT_EQ(engine.submit("no_such_handler").refusal, Refusal::unknown_type);
    EXPECT_EQ(engine.submit("").refusal, Refusal::unknown_type);
    EXPECT_EQ(engine.submit("ping", "", {.worker = 1}).refusal, Refusal::no_such_worker);
    EXPECT_EQ(engine.submit("ping", "", {.worker = -2}).refusal, Refusal::no_such_worker);
    std::size_t accepted = 0;
    const auto start = std::chrono::steady_clock::now();
    while (engine.submit("sleep_ms", bytes_of(100U))) ASSERT_LT(++accepted, 100U);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 10s) << "a full queue must not wait";
    EXPECT_EQ(engine.submit("ping").refusal, Refusal::queue_full);
    EXPECT_GE(accepted, 10U);
    EXPECT_EQ(engine.stats().job_queue, QueueLevel::critical);
    EXPECT_EQ(engine.stats().accepted, accepted);
    EXPECT_EQ(engine.stats().refused, 7U);
    engine.shutdown(0s);
    EXPECT_EQ(engine.submit("ping").refusal, Refusal::shut_down);
}

TEST_P(ProcessEngine, AQueueSaysWhenItIsEightyAndNinetyPerCentFull) {
    EngineOptions limited = options(1);
    limited.job_queue = 20;
    limited.ring_slots = 2;
    Engine engine(limited);
    std::map<std::size_t, QueueLevel> levels;
    while (engine.submit("sleep_ms", bytes_of(5'000U))) {
        const EngineStats stats = engine.stats();
        levels[stats.waiting] = stats.job_queue;
    }
    EXPECT_EQ(levels.at(1), QueueLevel::normal);
    EXPECT_EQ(levels.at(15), QueueLevel::normal);
    EXPECT_EQ(levels.at(16), QueueLevel::high);
    EXPECT_EQ(levels.at(17), QueueLevel::high);
    EXPECT_EQ(levels.at(18), QueueLevel::critical);
    EXPECT_EQ(levels.at(20), QueueLevel::critical);
    engine.shutdown(0s);
}

TEST_P(ProcessEngine, AFullArenaRefusesUntilJobsHaveEnded) {
    EngineOptions limited = options(1);
    limited.job_arena = 1 << 20;
    limited.max_payload = 1 << 20;
    Engine engine(limited);
    const std::string half(600'000, 'x');
    ASSERT_TRUE(engine.submit("sleep_ms", bytes_of(300U)));
    ASSERT_TRUE(engine.submit("echo", half));
    EXPECT_EQ(engine.submit("echo", half).refusal, Refusal::arena_full);
    ASSERT_TRUE(engine.drain(in(kLong)));
    EXPECT_TRUE(engine.submit("echo", half));
    EXPECT_GE(engine.stats().memory_bound, std::size_t{9} << 20);
}

// R5
TEST_P(ProcessEngine, ResultsThatNobodyPollsHoldBackJobsAndAreNotLost) {
    EngineOptions limited = options(1);
    limited.result_queue = 5;
    limited.job_queue = 20;
    Engine engine(limited);
    std::size_t accepted = 0;
    EXPECT_TRUE(eventually([&] {
        accepted += engine.submit("ping") ? 1 : 0;
        return engine.stats().waiting == 20;
    }));
    EXPECT_EQ(accepted, 25U);
    EXPECT_EQ(engine.stats().result_queue, QueueLevel::critical);
    EXPECT_EQ(collect(engine, accepted).size(), accepted);
}

TEST_P(ProcessEngine, ResultsThatTheHostHoldsTakeRoomUntilDropped) {
    EngineOptions limited = options(1);
    limited.result_arena = 1 << 20;
    Engine engine(limited);
    std::vector<Result> held;
    held.push_back(run_one(engine, "large", bytes_of(700'000U)));
    ASSERT_EQ(held[0].payload.size(), 700'000U);
    EXPECT_TRUE(held[0].payload.is_shared());
    const JobId second = engine.submit("large", bytes_of(700'000U)).id;
    EXPECT_FALSE(engine.wait(std::span(&second, 1), in(50ms)));
    EXPECT_TRUE(eventually([&] { return engine.health().workers[0].lacks_room; }));
    held.clear();
    EXPECT_TRUE(engine.wait(std::span(&second, 1), in(kLong)));
    EXPECT_EQ(engine.poll().at(0).payload.size(), 700'000U);
    EXPECT_EQ(run_one(engine, "large", bytes_of(2'000'000U)).status, Status::error)
        << "more than the arena can ever hold";
}

TEST_P(ProcessEngine, AResultOutlivesItsWorkerAndTheEngine) {
    Result kept;
    {
        Engine engine(options(1));
        kept = run_one(engine, "large", bytes_of(100'000U));
        run_one(engine, "kill");
    }
    ASSERT_EQ(kept.payload.size(), 100'000U);
    const auto bytes = kept.payload.bytes();
    EXPECT_TRUE(
        std::all_of(bytes.begin(), bytes.end(), [](std::byte each) { return each == std::byte{100'000 % 251}; }));
}

TEST_P(ProcessEngine, MoreImportantJobsGoFirst) {
    EngineOptions one = options(1);
    one.work_ahead = 0us;
    Engine engine(one);
    ASSERT_TRUE(run_one(engine, "sleep_ms", bytes_of(2U)).status == Status::ok);
    ASSERT_TRUE(engine.submit("sleep_ms", bytes_of(200U)));
    std::vector<JobId> low;
    for (int i = 0; i < 5; ++i) {
        low.push_back(engine.submit("sleep_ms", bytes_of(2U), {.priority = quarry::Priority::low}).id);
    }
    const JobId urgent = engine.submit("sleep_ms", bytes_of(2U), {.priority = quarry::Priority::urgent}).id;
    ASSERT_TRUE(engine.drain(in(kLong)));
    std::vector<JobId> order;
    for (const Result& result : engine.poll()) order.push_back(result.id);
    ASSERT_EQ(order.size(), 7U);
    // One of the others may lie in the ring already.
    EXPECT_LE(std::find(order.begin(), order.end(), urgent) - order.begin(), 2);
}

TEST_P(ProcessEngine, APinnedJobRunsOnItsWorker) {
    Engine engine(options(3));
    std::vector<int> processes;
    for (const auto& worker : engine.health().workers) processes.push_back(worker.process);
    for (int i = 0; i < 30; ++i) {
        const int worker = i % 3;
        const Result result = run_one(engine, "who", {}, {.worker = worker});
        int who = 0;
        ASSERT_EQ(result.payload.size(), sizeof who);
        std::memcpy(&who, result.payload.bytes().data(), sizeof who);
        EXPECT_EQ(who, processes[static_cast<std::size_t>(worker)]);
        EXPECT_EQ(result.worker, worker);
    }
}

TEST_P(ProcessEngine, AJobCanBeCancelledBeforeItStarts) {
    Engine engine(options(1));
    const JobId first = engine.submit("sleep_ms", bytes_of(200U)).id;
    std::vector<JobId> rest;
    for (int i = 0; i < 20; ++i) rest.push_back(engine.submit("echo", "x").id);
    for (const JobId id : rest) EXPECT_EQ(engine.cancel(id), Cancel::done);
    EXPECT_EQ(engine.cancel(rest[0]), Cancel::no_job);
    EXPECT_EQ(engine.cancel(12345), Cancel::no_job);
    auto results = collect(engine, 21);
    ASSERT_EQ(results.size(), 21U);
    EXPECT_EQ(results.at(first).status, Status::ok);
    for (const JobId id : rest) EXPECT_EQ(results.at(id).status, Status::cancelled);
    EXPECT_EQ(run_one(engine, "ping").status, Status::ok);
    expect_balanced(engine.stats());
}

TEST_P(ProcessEngine, ARunningJobIsAskedToStop) {
    Engine engine(options(1));
    // Before it has started it can be withdrawn.
    JobId id = 0;
    ASSERT_TRUE(eventually([&] {
        id = engine.submit("until_asked").id;
        std::this_thread::sleep_for(10ms);
        return engine.cancel(id) == Cancel::asked;
    }));
    ASSERT_TRUE(engine.wait(std::span(&id, 1), in(kLong)));
    EXPECT_EQ(engine.poll().back().status, Status::cancelled);
    EXPECT_EQ(engine.stats().restarts, 0U);
}

TEST_P(ProcessEngine, AJobThatDoesNotStartInTimeIsReported) {
    Engine engine(options(1));
    ASSERT_TRUE(engine.submit("sleep_ms", bytes_of(300U)));
    const JobId late = engine.submit("echo", "x", {.deadline = in(50ms)}).id;
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(engine.wait(std::span(&late, 1), in(kLong)));
    EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
    const std::vector<Result> results = engine.poll();
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(results[0].status, Status::deadline);
    ASSERT_TRUE(engine.drain(in(kLong)));
    EXPECT_EQ(engine.poll().at(0).status, Status::ok);
    EXPECT_EQ(engine.stats().restarts, 0U) << "nobody had to die for it";
    expect_balanced(engine.stats());
}

TEST_P(ProcessEngine, BroadcastStateIsThereBeforeLaterJobs) {
    Engine engine(options(2));
    const auto state_on = [&](int worker, std::string_view key) {
        return text_of(run_one(engine, "state", std::as_bytes(std::span(key)), {.worker = worker}));
    };
    EXPECT_EQ(state_on(0, "map"), "none");
    const auto say = [&](std::string_view key, std::string_view text) {
        return engine.broadcast(key, std::as_bytes(std::span(text)));
    };
    EXPECT_EQ(say("map", "first"), Refusal::none);
    EXPECT_EQ(say("other", "beside"), Refusal::none);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(state_on(i, "map"), "first");
    for (int i = 0; i < 100; ++i) EXPECT_EQ(say("map", "number " + std::to_string(i)), Refusal::none);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(state_on(i, "map"), "number 99");
        EXPECT_EQ(state_on(i, "other"), "beside");
    }
    EXPECT_TRUE(engine.forget("other"));
    EXPECT_FALSE(engine.forget("other"));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(state_on(i, "other"), "none");
    // The newest only: a hundred of them have left nothing behind.
    EXPECT_LE(engine.stats().job_arena_used, 3U * 256);
}

TEST_P(ProcessEngine, StatesAreBounded) {
    EngineOptions limited = options(1);
    limited.max_states = 3;
    Engine engine(limited);
    const std::array<std::byte, 1> one{};
    for (const char* key : {"a", "b", "c", "a"}) EXPECT_EQ(engine.broadcast(key, one), Refusal::none);
    EXPECT_EQ(engine.broadcast("d", one), Refusal::queue_full);
    EXPECT_TRUE(engine.forget("b"));
    run_one(engine, "ping");
    EXPECT_EQ(engine.broadcast("d", one), Refusal::none);
    EXPECT_EQ(engine.broadcast("", one), Refusal::unknown_type);
    const std::vector<std::byte> large(5 << 20);
    EXPECT_EQ(engine.broadcast("a", large), Refusal::payload_too_large);
}

TEST_P(ProcessEngine, TheDescriptorBecomesReadableWithAResult) {
    Engine engine(options(1));
    pollfd wait{engine.descriptor(), POLLIN, 0};
    engine.poll();
    EXPECT_EQ(::poll(&wait, 1, 20), 0);
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(engine.submit("ping"));
        ASSERT_EQ(::poll(&wait, 1, 60'000), 1);
        std::size_t got = 0;
        ASSERT_TRUE(eventually([&] { return (got += engine.poll().size()) == 1; }));
        EXPECT_EQ(::poll(&wait, 1, 0), 0);
    }
    ASSERT_TRUE(engine.submit("kill"));
    ASSERT_EQ(::poll(&wait, 1, 60'000), 1) << "a lost job is a result, too";
}

TEST_P(ProcessEngine, WaitReturnsWhenTheMomentHasCome) {
    Engine engine(options(1));
    const JobId id = engine.submit("sleep_ms", bytes_of(500U)).id;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(engine.wait(std::span(&id, 1), start + 5ms));
    EXPECT_GE(std::chrono::steady_clock::now() - start, 5ms);
    EXPECT_TRUE(engine.wait(std::span(&id, 1), in(kLong)));
    EXPECT_TRUE(engine.wait({}, start)) << "there is nothing to wait for";
}

// R42, R43
TEST_P(ProcessEngine, FramesReachTheLedger) {
    quarry::FrameLedger ledger({.stale = quarry::StalePolicy::drop_older_than(1)});
    EngineOptions with_ledger = options(1);
    with_ledger.ledger = &ledger;
    Engine engine(with_ledger);
    ledger.begin_frame();
    ASSERT_TRUE(engine.submit("ping", "", {.frame = ledger.submitted()}));
    ASSERT_TRUE(engine.submit("throw", "x", {.frame = ledger.submitted()}));
    EXPECT_EQ(engine.submit("no_such", "", {.frame = ledger.submitted()}).refusal, Refusal::unknown_type);
    ASSERT_TRUE(engine.drain(in(kLong)));
    EXPECT_EQ(engine.poll().size(), 2U);
    ASSERT_TRUE(engine.submit("ping", "", {.frame = ledger.submitted()}));
    ASSERT_TRUE(engine.drain(in(kLong)));
    for (int i = 0; i < 3; ++i) ledger.begin_frame();
    const std::vector<Result> late = engine.poll();
    ASSERT_EQ(late.size(), 1U);
    EXPECT_FALSE(late[0].apply);
    const auto stats = ledger.stats();
    EXPECT_EQ(stats.submitted, 4U);
    EXPECT_EQ(stats.returned, 2U);
    EXPECT_EQ(stats.withdrawn, 2U);
    EXPECT_EQ(stats.stale, 1U);
    EXPECT_EQ(stats.outstanding(), 0);
}

TEST_P(ProcessEngine, FiguresByType) {
    Engine engine(options(1));
    for (int i = 0; i < 3; ++i) run_one(engine, "spin_ms", bytes_of(3U));
    run_one(engine, "throw", std::as_bytes(std::span("x", 1)));
    const EngineStats stats = engine.stats();
    ASSERT_EQ(stats.types.size(), 2U);
    EXPECT_EQ(stats.types[0].name, "spin_ms");
    EXPECT_EQ(stats.types[0].submitted, 3U);
    EXPECT_EQ(stats.types[0].ok, 3U);
    EXPECT_GE(stats.types[0].run_sum, 9ms);
    EXPECT_GE(stats.types[0].latency_sum, stats.types[0].run_sum);
    EXPECT_EQ(stats.types[1].errors, 1U);
}

TEST_P(ProcessEngine, PollHandsOverNoMoreThanAskedFor) {
    Engine engine(options(1));
    std::vector<JobRequest> jobs(100, JobRequest{"ping"});
    ASSERT_EQ(engine.submit_many(jobs), jobs.size());
    ASSERT_TRUE(engine.drain(in(kLong)));
    EXPECT_EQ(engine.poll(7).size(), 7U);
    EXPECT_EQ(engine.poll(0).size(), 0U);
    EXPECT_EQ(engine.poll(Engine::kAll, 0ns).size(), 1U) << "a spent budget still gives one";
    EXPECT_EQ(engine.poll().size(), 92U);
}

INSTANTIATE_TEST_SUITE_P(Systems, ProcessEngine, testing::Values(false, true), kSystemName);

}  // namespace
