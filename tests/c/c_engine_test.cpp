#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <quarry/c.h>

// Worker processes through the C API.
namespace {

std::int64_t soon() {
    return quarry_now_ns() + 60'000'000'000;
}

#if defined(QUARRY_C_WORKER)
class CEngine : public testing::Test {
  protected:
    CEngine() {
        quarry_engine_options options;
        quarry_engine_options_init(&options);
        options.workers = 2;
        options.command = command_;
        options.heartbeat_ms = 10'000;
        engine_ = quarry_engine_new(&options);
    }
    ~CEngine() override { quarry_engine_free(engine_); }

    const char* const command_[3] = {QUARRY_C_WORKER, "worker", nullptr};
    quarry_engine* engine_ = nullptr;
};

TEST_F(CEngine, RunsJobsOfAWorkerInC) {
    ASSERT_NE(engine_, nullptr) << quarry_last_error();
    EXPECT_EQ(quarry_engine_ready(engine_), 0);
    const int seven = 7;
    std::uint64_t id = 0;
    ASSERT_EQ(quarry_engine_submit(engine_, "square", &seven, sizeof seven, nullptr, &id, nullptr), QUARRY_OK);
    ASSERT_EQ(quarry_engine_wait(engine_, &id, 1, soon()), QUARRY_OK);
    std::size_t count = 0;
    quarry_results* results = quarry_engine_poll(engine_, 10, -1, &count);
    ASSERT_EQ(count, 1U);
    EXPECT_EQ(quarry_results_count(results), 1U);
    const quarry_result* result = quarry_results_get(results);
    EXPECT_EQ(result->id, id);
    EXPECT_EQ(result->status, QUARRY_STATUS_OK);
    EXPECT_EQ(result->type, quarry_type_hash("square"));
    int answer = 0;
    ASSERT_EQ(result->length, sizeof answer);
    std::memcpy(&answer, result->payload, sizeof answer);
    EXPECT_EQ(answer, 49);
    EXPECT_EQ(quarry_results_detach(results, 0), nullptr) << "a small one is copied";
    quarry_results_free(results);
    EXPECT_EQ(quarry_engine_poll(engine_, 10, -1, &count), nullptr);
    EXPECT_EQ(count, 0U);
}

TEST_F(CEngine, RefusesAndFailsWithReasons) {
    ASSERT_NE(engine_, nullptr) << quarry_last_error();
    std::uint64_t id = 0;
    int refusal = 0;
    EXPECT_EQ(quarry_engine_submit(engine_, "cube", nullptr, 0, nullptr, &id, &refusal), QUARRY_REFUSED);
    EXPECT_EQ(refusal, QUARRY_REFUSAL_UNKNOWN_TYPE);
    EXPECT_STREQ(quarry_last_error(), quarry_refusal_text(refusal));
    ASSERT_EQ(quarry_engine_submit(engine_, "square", "xyz", 3, nullptr, &id, &refusal), QUARRY_OK);
    ASSERT_EQ(quarry_engine_drain(engine_, soon()), QUARRY_OK);
    std::size_t count = 0;
    quarry_results* results = quarry_engine_poll(engine_, 10, -1, &count);
    ASSERT_EQ(count, 1U);
    EXPECT_EQ(quarry_results_get(results)->status, QUARRY_STATUS_ERROR);
    EXPECT_STREQ(quarry_results_get(results)->text, "square takes one int");
    quarry_results_free(results);
    quarry_job_options options;
    quarry_job_options_init(&options);
    options.priority = 9;
    EXPECT_EQ(quarry_engine_submit(engine_, "square", nullptr, 0, &options, &id, &refusal), QUARRY_INVALID);
    options.priority = QUARRY_PRIORITY_HIGH;
    options.size = 1'000;
    EXPECT_EQ(quarry_engine_submit(engine_, "square", nullptr, 0, &options, &id, &refusal), QUARRY_INVALID);
}

TEST_F(CEngine, PartsArePutBehindEachOther) {
    ASSERT_NE(engine_, nullptr) << quarry_last_error();
    const int seven = 7;
    const void* parts[] = {&seven, nullptr, reinterpret_cast<const char*>(&seven) + 2};
    const std::size_t lengths[] = {2, 0, 2};
    const std::uint64_t id = quarry_engine_send_parts(engine_, "square", parts, lengths, 3, nullptr);
    ASSERT_NE(id, 0U) << quarry_last_error();
    ASSERT_EQ(quarry_engine_wait(engine_, &id, 1, soon()), QUARRY_OK);
    std::size_t count = 0;
    quarry_results* results = quarry_engine_poll(engine_, 10, -1, &count);
    ASSERT_EQ(count, 1U);
    int answer = 0;
    ASSERT_EQ(quarry_results_get(results)->length, sizeof answer);
    std::memcpy(&answer, quarry_results_get(results)->payload, sizeof answer);
    EXPECT_EQ(answer, 49);
    quarry_results_free(results);
}

TEST_F(CEngine, SendSaysWhyNot) {
    ASSERT_NE(engine_, nullptr) << quarry_last_error();
    EXPECT_EQ(quarry_engine_send(engine_, "cube", nullptr, 0, nullptr), 0U);
    EXPECT_EQ(quarry_last_refusal(), QUARRY_REFUSAL_UNKNOWN_TYPE);
    EXPECT_EQ(quarry_engine_send(engine_, nullptr, nullptr, 0, nullptr), 0U);
    EXPECT_EQ(quarry_last_refusal(), QUARRY_REFUSAL_NONE);
    EXPECT_NE(std::string(quarry_last_error()).find("NULL"), std::string::npos);
    EXPECT_NE(quarry_engine_send(engine_, "square", "1234", 4, nullptr), 0U);
}

TEST_F(CEngine, ManyAtOnceAndFigures) {
    ASSERT_NE(engine_, nullptr) << quarry_last_error();
    constexpr std::size_t kJobs = 300;
    std::vector<int> numbers(kJobs, 3);
    std::vector<const void*> payloads;
    for (const int& number : numbers) payloads.push_back(&number);
    const std::vector<std::size_t> lengths(kJobs, sizeof(int));
    std::vector<std::uint64_t> ids(kJobs);
    std::size_t accepted = 0;
    ASSERT_EQ(quarry_engine_submit_many(engine_, "square", kJobs, payloads.data(), lengths.data(), nullptr, ids.data(),
                                        &accepted, nullptr),
              QUARRY_OK);
    EXPECT_EQ(accepted, kJobs);
    ASSERT_EQ(quarry_engine_wait(engine_, ids.data(), ids.size(), soon()), QUARRY_OK);
    quarry_engine_stats stats{};
    EXPECT_EQ(quarry_engine_get_stats(engine_, &stats), QUARRY_INVALID) << "its size is not set";
    stats.size = sizeof stats;
    ASSERT_EQ(quarry_engine_get_stats(engine_, &stats), QUARRY_OK);
    EXPECT_EQ(stats.ok, kJobs);
    EXPECT_EQ(stats.results, kJobs);
    EXPECT_GT(stats.memory_bound, 0U);
    std::vector<quarry_worker_health> health(5);
    ASSERT_EQ(quarry_engine_get_health(engine_, health.data(), health.size()), 2U);
    EXPECT_EQ(health[0].alive, 1);
    EXPECT_EQ(health[0].jobs + health[1].jobs, kJobs);
    quarry_shutdown_report report{};
    EXPECT_EQ(quarry_engine_shutdown(engine_, 10'000'000'000, &report), QUARRY_OK);
    EXPECT_EQ(report.exited, 2);
    int refusal = 0;
    EXPECT_EQ(quarry_engine_broadcast(engine_, "key", "x", 1, &refusal), QUARRY_REFUSED);
    EXPECT_EQ(refusal, QUARRY_REFUSAL_SHUT_DOWN);
}
#endif

TEST(CApi, AMissingWorkerIsSaid) {
    const char* const command[] = {"/no/such/worker", nullptr};
    quarry_engine_options options;
    quarry_engine_options_init(&options);
    options.command = command;
    EXPECT_EQ(quarry_engine_new(&options), nullptr);
    EXPECT_NE(std::string(quarry_last_error()).find("/no/such/worker"), std::string::npos);
    options.workers = 0;
    EXPECT_EQ(quarry_engine_new(&options), nullptr);
    EXPECT_NE(std::string(quarry_last_error()).find("1 to 256"), std::string::npos);
}

TEST(CApi, WhyAWorkerCouldNotBeStartedCanBeAsked) {
    quarry_engine_options options;
    quarry_engine_options_init(&options);
    const char* const command[] = {"/bin/false", nullptr};
    options.command = command;
    options.workers = 1;
    options.wait = 0;
    quarry_engine* engine = quarry_engine_new(&options);
    ASSERT_NE(engine, nullptr) << quarry_last_error();
    const std::int64_t end = soon();
    while (quarry_engine_ready(engine) != 2 && quarry_now_ns() < end) {
    }
    std::size_t length = 0;
    EXPECT_EQ(quarry_engine_failure(engine, nullptr, 0, &length), QUARRY_INVALID);
    ASSERT_GT(length, 0U);
    std::string text(length + 1, 'x');
    EXPECT_EQ(quarry_engine_failure(engine, text.data(), length, &length), QUARRY_INVALID);
    EXPECT_EQ(quarry_engine_failure(engine, text.data(), length + 1, &length), QUARRY_OK);
    EXPECT_NE(text.find("exited with status 1"), std::string::npos) << text;
    quarry_engine_free(engine);
}

}  // namespace
