#include "quarry/ecs/tick_report.hpp"

#include <chrono>
#include <sstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "quarry/jobs/trace.hpp"
#include "tests/ecs/support.hpp"

namespace quarry::ecs {
namespace {

using namespace test_support;

// By what the report says of them, not by how long the tick took.
TEST(TickReport, SystemsThatDoNotMeetRunOnAllWorkersAtATime) {
    Pool pool(2);
    Schedule<LoggedWorld> schedule;
    for (int i = 0; i < 20; ++i) {
        schedule.add("system " + std::to_string(i)).run([] { spin_for(std::chrono::microseconds(100)); });
    }
    LoggedWorld world;
    EXPECT_TRUE(quarry::test_support::eventually([&] {
        const TickReport& report = ParallelExecutor(pool).run(schedule, world);
        return report.phases[0].parallel_efficiency > 0.75;
    }));
}

TEST(TickReport, TellsTimesRangesWorkersAndCommands) {
    Pool pool(2);
    Schedule<LoggedWorld> schedule;
    schedule.add("first").run([] { spin_for(std::chrono::milliseconds(1)); });
    schedule.add("second").after("first").run([](LoggedWorld&, Commands<LoggedWorld>& commands) { commands.spawn(); });
    schedule.add("ranges", phase::render).grain(10).each(1000, [](LoggedWorld&, std::size_t) {
        spin_for(std::chrono::microseconds(1));
    });
    LoggedWorld world;
    const TickReport& report = ParallelExecutor(pool).run(schedule, world);
    ASSERT_EQ(report.systems.size(), 3U);
    EXPECT_EQ(*report.systems[0].name, "first");
    EXPECT_GE(report.systems[0].time(), std::chrono::microseconds(900));
    EXPECT_GE(report.systems[1].started, report.systems[0].ended);
    EXPECT_GE(report.systems[1].wait(), std::chrono::nanoseconds(0));
    EXPECT_EQ(report.systems[1].commands, 1U);
    EXPECT_GE(report.systems[2].ranges, 1U);
    EXPECT_GE(report.systems[2].workers, 1U);
    EXPECT_LE(report.systems[2].workers, 3U);
    ASSERT_EQ(report.phases.size(), 2U);
    EXPECT_EQ(report.phases[0].name, "update");
    EXPECT_GE(report.phases[0].critical_path, report.systems[0].time() + report.systems[1].time());
    EXPECT_LE(report.phases[0].critical_path, report.phases[0].ended - report.phases[0].started);
    EXPECT_GT(report.phases[0].parallel_efficiency, 0.1);
    EXPECT_LE(report.phases[0].parallel_efficiency, 1.01);
    EXPECT_GE(report.wall, report.phases[1].ended);
    EXPECT_EQ(report.tick, 1U);
}

TEST(TickReport, R55R66OneHeavySystemIsSplitAndALateWorkerTakesPartOfIt) {
    Pool pool(2);
    Schedule<LoggedWorld> schedule;
    schedule.add("heavy").grain(1).each(200,
                                        [](LoggedWorld&, std::size_t) { spin_for(std::chrono::microseconds(50)); });
    LoggedWorld world;
    EXPECT_TRUE(quarry::test_support::eventually([&] {
        const SystemReport& system = ParallelExecutor(pool).run(schedule, world).systems[0];
        return system.steals > 0 && system.workers == 2 && system.ranges > 1;
    }));
}

TEST(TickReport, R56LightSystemsRunWithoutAJobEach) {
    Pool pool(2);
    Schedule<LoggedWorld> schedule;
    constexpr std::size_t kSystems = 200;
    for (std::size_t i = 0; i < kSystems; ++i) schedule.add("system " + std::to_string(i)).run([] {});
    LoggedWorld world;
    for (int tick = 0; tick < 5; ++tick) ParallelExecutor(pool).run(schedule, world);  // they are measured
    const PoolStats before = pool.stats();
    constexpr std::uint64_t kTicks = 50;
    for (std::uint64_t tick = 0; tick < kTicks; ++tick) ParallelExecutor(pool).run(schedule, world);
    EXPECT_LT(pool.stats().since(before).total.spawned, kTicks * kSystems / 10);
}

// Bodies that sleep need no processor: the times are those of the schedule, whatever else runs. In the order in which
// they were added, the long one would begin when the others are half done.
TEST(TickReport, R63SkewedLoadIsSpreadByMeasuredCosts) {
    constexpr auto kShort = std::chrono::milliseconds(4);
    constexpr int kShortOnes = 12;
    constexpr auto kLong = kShort * kShortOnes;
    Pool pool(2);
    Schedule<LoggedWorld> schedule;
    for (int i = 0; i < kShortOnes; ++i) {
        schedule.add("short " + std::to_string(i)).run([=] { std::this_thread::sleep_for(kShort); });
    }
    schedule.add("long").run([=] { std::this_thread::sleep_for(kLong); });
    LoggedWorld world;
    const auto makespan = [&] {
        const TickReport& report = ParallelExecutor(pool).run(schedule, world);
        return report.phases[0].ended - report.phases[0].started;
    };
    makespan();  // they are measured
    // Round robin, and the order in which they were added, take one and a half times as long as the long one.
    EXPECT_TRUE(quarry::test_support::eventually([&] { return makespan() < kLong * 5 / 4; }));
}

TEST(TickReport, IsJson) {
    Schedule<LoggedWorld> schedule({.errors = ErrorPolicy::collect});
    schedule.add("a \"quoted\"\nname").run([] {});
    schedule.add("bad").grain(2).each(4, [](LoggedWorld&, std::size_t i) {
        if (i == 3) throw std::runtime_error("no\t3");
    });
    LoggedWorld world;
    std::ostringstream out;
    BlockingExecutor().run(schedule, world).write_json(out);
    const nlohmann::json json = nlohmann::json::parse(out.str());
    EXPECT_EQ(json["systems"][0]["name"], "a \"quoted\"\nname");
    EXPECT_EQ(json["systems"][1]["outcome"], "failed");
    EXPECT_EQ(json["errors"][0]["entity"], 3);
    EXPECT_EQ(json["errors"][0]["what"], "no\t3");
    EXPECT_EQ(json["phases"].size(), 1U);
}

TEST(TickReport, SystemsAreInTheTrace) {
    Pool pool(2);
    Trace trace(pool);
    Schedule<LoggedWorld> schedule;
    schedule.add("system in the trace").run([] {});
    LoggedWorld world;
    ParallelExecutor(pool).run(schedule, world);
    trace.stop();
    std::ostringstream json;
    trace.write(json);
    EXPECT_NE(json.str().find("system in the trace"), std::string::npos);
}

}  // namespace
}  // namespace quarry::ecs
