#include "fly/flight_log.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/noise_field.hpp>

#include "fly/flight.hpp"
#include "tools/input.hpp"

namespace quarry::app {
namespace {

FlyOptions logged_flight(std::uint64_t seed = 42) {
    const auto field = std::make_shared<terrain::NoiseField>(terrain::NoiseOptions{.seed = seed});
    FlyOptions options{.field_name = "noise",
                       .described = {field, nullptr},
                       .streamer = {},
                       .path_name = "demo",
                       .path = FlightPath::demo(*field, 60)};
    options.seconds = 0.4;
    options.streamer.radius = 150;
    options.streamer.lod_distance = 48;
    options.upload_us = 0;
    options.dig = true;
    return options;
}

FlightLog recorded(int workers) {
    Pool pool(workers);
    FlyOptions options = logged_flight();
    options.records = true;
    return run_flight(pool, options, {}).log;
}

FlyOutcome replayed(const FlightLog& log, int workers, std::uint64_t seed = 42) {
    Pool pool(workers);
    FlyOptions options = logged_flight(seed);
    options.replayed = std::make_shared<const FlightLog>(log);
    return run_flight(pool, options, {});
}

std::string refusal_of_log(const std::string& bytes) {
    try {
        flight_log_from(bytes, "name");
    } catch (const WrongInput& wrong) {
        return wrong.what();
    }
    return "";
}

TEST(FlightLog, ReplaysOnAnyNumberOfWorkers) {
    for (const auto& [recording, replaying] : {std::pair{1, 4}, std::pair{4, 1}}) {
        const FlightLog log = flight_log_from(bytes_of(recorded(recording)), "name");
        const FlyOutcome again = replayed(log, replaying);
        EXPECT_FALSE(again.difference) << again.difference->frame << ": " << again.difference->what;
        EXPECT_EQ(again.replayed, log.frames.size());
        EXPECT_EQ(again.world_hash, log.ground);
        EXPECT_GT(again.edits.size(), 10u);
    }
}

TEST(FlightLog, NamesTheFirstFrameThatDiffers) {
    const FlightLog log = recorded(2);
    ASSERT_GT(log.frames.size(), 20u);
    const auto first_difference = [&](const std::function<void(LoggedFrame&)>& change, std::size_t at) {
        FlightLog changed = log;
        change(changed.frames[at]);
        const FlyOutcome outcome = replayed(changed, 2);
        return outcome.difference ? outcome.difference->frame : 0;
    };
    EXPECT_EQ(first_difference([](LoggedFrame& frame) { frame.states ^= 1; }, 7), 8u);
    EXPECT_EQ(first_difference([](LoggedFrame& frame) { frame.events ^= 1; }, 9), 10u);
    EXPECT_EQ(first_difference([](LoggedFrame& frame) { frame.is_intact = false; }, 11), 12u);
    EXPECT_EQ(first_difference([](LoggedFrame& frame) { frame.journal.clear(); }, 13), 14u);
    EXPECT_EQ(first_difference([](LoggedFrame& frame) { frame.viewers.clear(); }, 3), 4u);
    EXPECT_EQ(first_difference([](LoggedFrame& frame) { frame.viewers[0].position.x = 1e300; }, 4), 5u);
    EXPECT_EQ(first_difference([](LoggedFrame& frame) { frame.edits.assign(99, std::byte{1}); }, 5), 6u);
    // As soon as something has been made of it.
    const FlyOutcome other_field = replayed(log, 2, 43);
    ASSERT_TRUE(other_field.difference);
    EXPECT_EQ(other_field.difference->stage, FlyStage::arrival);
    FlightLog other_ground = log;
    other_ground.ground ^= 1;
    EXPECT_EQ(replayed(other_ground, 2).difference->frame, log.frames.size());
}

TEST(FlightLog, RefusesWhatIsNoLogOrCutOffOrDamaged) {
    const std::string bytes = bytes_of(recorded(2));
    EXPECT_EQ(refusal_of_log(bytes), "");
    EXPECT_NE(refusal_of_log("").find("no log"), std::string::npos);
    EXPECT_NE(refusal_of_log("0 0 30 0\n1 20 30 0\n").find("no log"), std::string::npos);
    std::string other_version = bytes;
    other_version[14] = 9;
    EXPECT_NE(refusal_of_log(other_version).find("version 9"), std::string::npos);
    for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 40) {
        EXPECT_NE(refusal_of_log(bytes.substr(0, size)), "") << size;
    }
    EXPECT_NE(refusal_of_log(bytes + '\0'), "");
    EXPECT_NE(refusal_of_log(bytes_of({})).find("no frame"), std::string::npos);
}

// Whatever byte has changed: the log is refused, or the frame is marked, or the end is another one.
TEST(FlightLog, NoByteChangesUnnoticed) {
    const FlightLog log = recorded(2);
    const std::string bytes = bytes_of(log);
    for (std::size_t at = 0; at < bytes.size(); at += 1 + at % 13) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ 16);
        try {
            const FlightLog read = flight_log_from(changed, "name");
            bool noticed = read.ground != log.ground;
            for (const LoggedFrame& frame : read.frames) noticed = noticed || !frame.is_intact;
            EXPECT_TRUE(noticed) << at;
        } catch (const WrongInput& wrong) {
            EXPECT_EQ(std::string(wrong.what()).rfind("name: ", 0), 0u);
        }
    }
}

}  // namespace
}  // namespace quarry::app
