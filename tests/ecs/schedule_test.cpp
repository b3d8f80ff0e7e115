#include <sstream>

#include <gtest/gtest.h>

#include "tests/ecs/support.hpp"

namespace quarry::ecs {
namespace {

using namespace test_support;

struct Nothing {};

TEST(Schedule, PhasesRunInTheirOrderAndOnesOwnWhereItWasPut) {
    Schedule<Nothing> schedule;
    std::vector<std::string> order;
    schedule.add_phase("physics", phase::update);
    for (const char* name : {"network", "render", "post_update", "physics", "update", "pre_update"}) {
        schedule.add(name, name).run([&order, name] { order.emplace_back(name); });
    }
    Nothing world;
    BlockingExecutor().run(schedule, world);
    EXPECT_EQ(order, (std::vector<std::string>{"pre_update", "update", "physics", "post_update", "render", "network"}));
}

TEST(Schedule, EverythingThatIsWrongIsToldAtOnceByName) {
    Schedule<Nothing> schedule;
    schedule.add("twin").run([] {});
    schedule.add("twin").run([] {});
    schedule.add("lost", "lunch").run([] {});
    schedule.add("hopeful").after("nobody").run([] {});
    schedule.add("empty");
    schedule.add("early", phase::pre_update).after("late").run([] {});
    schedule.add("late", phase::render).run([] {});
    schedule.add("a").after("b").run([] {});
    schedule.add("b").after("c").run([] {});
    schedule.add("c").after("a").run([] {});
    schedule.add("self").before("self").run([] {});
    schedule.add("member").in_set("twin").run([] {});
    try {
        schedule.build();
        FAIL() << "accepted";
    } catch (const ScheduleError& error) {
        const std::string what = error.what();
        for (const char* part : {"two systems are named \"twin\"", "\"lost\": there is no phase \"lunch\"",
                                 "after \"nobody\", which is no", "\"empty\": needs one of run",
                                 "\"late\" cannot run before \"early\"", "wait for each other", "\"a\"",
                                 "\"self\": before itself", "\"twin\" is a system, so it cannot be a set"}) {
            EXPECT_NE(what.find(part), std::string::npos) << part << "\n" << what;
        }
        EXPECT_GE(error.problems().size(), 8U);
    }
    Nothing world;
    EXPECT_THROW(BlockingExecutor().run(schedule, world), ScheduleError);
}

TEST(Schedule, PhaseOfAnUnknownNameIsRefused) {
    Schedule<Nothing> schedule;
    EXPECT_THROW(schedule.add_phase("mine", "yours"), Error);
    EXPECT_THROW(schedule.add_phase("update", "update"), Error);
    EXPECT_THROW(schedule.add_sync_point("mine"), Error);
    EXPECT_THROW(schedule.enable("nobody"), Error);
    EXPECT_THROW(Schedule<Nothing>({.most_commands = 0}), std::invalid_argument);
}

TEST(Schedule, StatedOrdersHoldForSystemsAndSets) {
    std::atomic<int> physics{0};
    Pool pool(4);
    Schedule<Nothing> schedule;
    int seen_after = -1;
    int seen_before = -1;
    for (int i = 0; i < 5; ++i) {
        schedule.add("physics " + std::to_string(i)).in_set("physics").run([&] {
            spin_for(std::chrono::microseconds(20));
            ++physics;
        });
    }
    schedule.add("after").after("physics").run([&] { seen_after = physics.load(); });
    schedule.add("before").before("physics").run([&] { seen_before = physics.load(); });
    Nothing world;
    ParallelExecutor(pool).run(schedule, world);
    EXPECT_EQ(seen_before, 0);
    EXPECT_EQ(seen_after, 5);
}

TEST(Schedule, SystemsAreEnabledAndDisabledByNameAndBySet) {
    Schedule<Nothing> schedule;
    int runs[3]{};
    for (int i = 0; i < 3; ++i) {
        schedule.add("system " + std::to_string(i)).in_set(i < 2 ? "some" : "other").run([&runs, i] { ++runs[i]; });
    }
    Nothing world;
    BlockingExecutor executor;
    executor.run(schedule, world);
    schedule.disable("some");
    const TickReport& report = executor.run(schedule, world);
    EXPECT_EQ(report.systems[0].outcome, NodeOutcome::skipped);
    EXPECT_EQ(report.systems[2].outcome, NodeOutcome::done);
    schedule.enable("system 1");
    executor.run(schedule, world);
    EXPECT_EQ(runs[0], 1);
    EXPECT_EQ(runs[1], 2);
    EXPECT_EQ(runs[2], 3);
}

TEST(Schedule, ConditionsDecideEachTick) {
    Schedule<LoggedWorld> schedule;
    int runs = 0;
    schedule.add("rarely").run_if([](const LoggedWorld& world) { return world.size() == 2; }).run([&] { ++runs; });
    schedule.add("grow").after("rarely").run([](LoggedWorld&, Commands<LoggedWorld>& commands) { commands.spawn(); });
    LoggedWorld world;
    Pool pool(2);
    for (int tick = 0; tick < 5; ++tick) ParallelExecutor(pool).run(schedule, world);
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(world.size(), 5U);
}

TEST(Schedule, CommandsAreAppliedAfterThePhaseOrAtASyncPoint) {
    for (const bool synced : {false, true}) {
        Schedule<LoggedWorld> schedule;
        std::size_t seen = 99;
        schedule.add("spawn").run([](LoggedWorld&, Commands<LoggedWorld>& commands) { commands.spawn(); });
        if (synced) schedule.add_sync_point(phase::update);
        schedule.add("look").after("spawn").run([&](LoggedWorld& world) { seen = world.size(); });
        LoggedWorld world;
        BlockingExecutor().run(schedule, world);
        EXPECT_EQ(seen, synced ? 1U : 0U);
        EXPECT_EQ(world.size(), 1U);
    }
}

TEST(Schedule, OrderAgainstASyncPointIsRefused) {
    Schedule<Nothing> schedule;
    schedule.add("first").after("second").run([] {});
    schedule.add_sync_point(phase::update);
    schedule.add("second").run([] {});
    EXPECT_THROW(schedule.build(), ScheduleError);
}

TEST(Schedule, CanNotBeChangedNorRunFromWithinItsTick) {
    for (const int workers : {0, 1, 2}) {
        Pool pool(std::max(workers, 1));
        Schedule<Nothing> schedule;
        Nothing world;
        int refused = 0;
        schedule.add("curious").run([&] {
            EXPECT_THROW(schedule.add("late"), Error);
            EXPECT_THROW(schedule.build(), Error);
            EXPECT_THROW(schedule.disable("curious"), Error);
            EXPECT_THROW(BlockingExecutor().run(schedule, world), Error);
            EXPECT_THROW(ParallelExecutor(pool).run(schedule, world), Error);
            ++refused;
        });
        if (workers == 0) {
            BlockingExecutor().run(schedule, world);
        } else {
            ParallelExecutor(pool).run(schedule, world);
        }
        EXPECT_EQ(refused, 1);
    }
}

TEST(Schedule, R51SystemsOfAPhaseRunOnSeveralThreads) {
    std::atomic<int> inside{0};
    std::atomic<bool> met{false};
    Pool pool(2);
    Schedule<Nothing> schedule;
    for (int i = 0; i < 2; ++i) {
        schedule.add("system " + std::to_string(i)).run([&] {
            ++inside;
            const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
            while (!met && std::chrono::steady_clock::now() < end) {
                if (inside.load() == 2) met = true;
            }
            --inside;
        });
    }
    Nothing world;
    EXPECT_TRUE(quarry::test_support::eventually([&] {
        ParallelExecutor(pool).run(schedule, world);
        return met.load();
    }));
}

TEST(Schedule, PlanIsDrawnAsTextDotAndMermaid) {
    Schedule<LoggedWorld> schedule;
    schedule.add("read input", phase::pre_update).run([] {});
    schedule.add("move").writes(AccessKey::named("position")).run([] {});
    schedule.add("draw").reads(AccessKey::named("position")).after("move").run([] {});
    std::ostringstream text;
    schedule.write_text(text);
    EXPECT_EQ(text.str(),
              "pre_update\n  read input\nupdate\n  move; writes position\n  draw after move; reads position\n");
    std::ostringstream dot;
    schedule.write_dot(dot);
    EXPECT_NE(dot.str().find("s1 -> s2;"), std::string::npos) << dot.str();
    EXPECT_NE(dot.str().find("label=\"pre_update\""), std::string::npos);
    std::ostringstream mermaid;
    schedule.write_mermaid(mermaid);
    EXPECT_NE(mermaid.str().find("s1 --> s2"), std::string::npos) << mermaid.str();
    EXPECT_NE(mermaid.str().find("p0 --> p1"), std::string::npos);
}

TEST(Schedule, PlanHasNoEdgeThatFollowsFromOthers) {
    Schedule<Nothing> schedule;
    for (int i = 0; i < 20; ++i) {
        schedule.add("system " + std::to_string(i)).writes(AccessKey::named("one thing")).run([] {});
    }
    std::ostringstream dot;
    schedule.write_dot(dot);
    std::size_t edges = 0;
    for (std::size_t at = dot.str().find("->"); at != std::string::npos; at = dot.str().find("->", at + 1)) ++edges;
    EXPECT_EQ(edges, 19U);
}

}  // namespace
}  // namespace quarry::ecs
