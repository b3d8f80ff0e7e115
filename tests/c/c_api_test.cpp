#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <quarry/c.h>

// The C API as another language calls it; only through c.h.
namespace {

TEST(CApi, SaysItsVersion) {
    EXPECT_EQ(quarry_c_version(), QUARRY_C_VERSION);
    EXPECT_EQ(std::string(quarry_version()).find("0."), 0U);
}

TEST(CApi, FreeingNothingDoesNothing) {
    quarry_engine_free(nullptr);
    EXPECT_EQ(quarry_results_count(nullptr), 0U);
    quarry_results_free(nullptr);
    quarry_payload_free(nullptr);
    quarry_worker_close(nullptr);
    quarry_clock_free(nullptr);
    quarry_ledger_free(nullptr);
    quarry_field_free(nullptr);
    quarry_chunk_free(nullptr);
    quarry_mesh_free(nullptr);
}

TEST(CApi, NullIsAnErrorNotACrash) {
    std::uint64_t id = 0;
    EXPECT_EQ(quarry_engine_submit(nullptr, "x", nullptr, 0, nullptr, &id, nullptr), QUARRY_INVALID);
    EXPECT_NE(std::string(quarry_last_error()).find("NULL"), std::string::npos);
    EXPECT_EQ(quarry_engine_new(nullptr), nullptr);
    EXPECT_EQ(quarry_engine_wait(nullptr, nullptr, 0, 0), QUARRY_INVALID);
    EXPECT_EQ(quarry_bake(nullptr, 0), nullptr);
    EXPECT_EQ(quarry_worker_finish(nullptr), QUARRY_INVALID);
    EXPECT_EQ(quarry_worker_open(), nullptr) << "nobody has started this process as a worker";
    EXPECT_NE(std::string(quarry_last_error()).find("QUARRY_CHANNEL"), std::string::npos);
}

TEST(CApi, ClockAndLedger) {
    EXPECT_EQ(quarry_clock_new(0, 3), nullptr);
    quarry_clock* clock = quarry_clock_new(100, 3);
    ASSERT_NE(clock, nullptr);
    EXPECT_EQ(quarry_clock_advance(clock, 1'000'000'000, nullptr), 0);
    EXPECT_EQ(quarry_clock_next_step_ns(clock), 1'010'000'000);
    std::int64_t dropped = -1;
    EXPECT_EQ(quarry_clock_advance(clock, 1'025'000'000, &dropped), 2);
    EXPECT_EQ(dropped, 0);
    EXPECT_DOUBLE_EQ(quarry_clock_interpolation(clock), 0.5);
    EXPECT_EQ(quarry_clock_advance(clock, 2'000'000'000, &dropped), 3);
    EXPECT_GT(dropped, 0);
    quarry_clock_free(clock);

    quarry_ledger* ledger = quarry_ledger_new(0, 1);
    ASSERT_NE(ledger, nullptr);
    std::uint64_t frame = 0;
    ASSERT_EQ(quarry_ledger_begin_frame(ledger, &frame), QUARRY_OK);
    EXPECT_EQ(frame, 1U);
    const std::uint32_t first = quarry_ledger_submitted(ledger);
    const std::uint32_t second = quarry_ledger_submitted(ledger);
    quarry_ledger_withdrawn(ledger, quarry_ledger_submitted(ledger));
    int apply = -1;
    EXPECT_EQ(quarry_ledger_returned(ledger, first, &apply), QUARRY_OK);
    EXPECT_EQ(apply, 1);
    ASSERT_EQ(quarry_ledger_end_frame(ledger), QUARRY_OK);
    for (int i = 0; i < 3; ++i) quarry_ledger_begin_frame(ledger, nullptr);
    EXPECT_EQ(quarry_ledger_returned(ledger, second, &apply), QUARRY_OK);
    EXPECT_EQ(apply, 0);
    quarry_ledger_stats stats{};
    stats.size = sizeof stats;
    ASSERT_EQ(quarry_ledger_get_stats(ledger, &stats), QUARRY_OK);
    EXPECT_EQ(stats.submitted, 3U);
    EXPECT_EQ(stats.returned, 2U);
    EXPECT_EQ(stats.withdrawn, 1U);
    EXPECT_EQ(stats.stale, 1U);
    std::size_t length = 0;
    EXPECT_EQ(quarry_ledger_json(ledger, nullptr, 0, &length), QUARRY_INVALID);
    std::string json(length + 1, '\0');
    EXPECT_EQ(quarry_ledger_json(ledger, json.data(), json.size(), &length), QUARRY_OK);
    EXPECT_EQ(json[0], '{');
    quarry_ledger_free(ledger);
}

}  // namespace
