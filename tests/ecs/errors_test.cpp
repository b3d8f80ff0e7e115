#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/ecs/support.hpp"

namespace quarry::ecs {
namespace {

using namespace test_support;

struct Case {
    int workers;  // 0: blocking
};

class Errors : public ::testing::TestWithParam<int> {
  protected:
    template <class World>
    const TickReport& run(Schedule<World>& schedule, World& world) {
        if (GetParam() == 0) return BlockingExecutor().run(schedule, world);
        return ParallelExecutor(pool).run(schedule, world);
    }
    Pool pool{std::max(GetParam(), 1)};
};
INSTANTIATE_TEST_SUITE_P(Workers, Errors, ::testing::Values(0, 1, 3));

void log_by_command(Commands<LoggedWorld>& commands, std::uint64_t number) {
    commands.custom([number](LoggedWorld& world) { world.log.push_back(number); });
}

TEST_P(Errors, StopKeepsFurtherSystemsFromStartingAndDiscardsThePhase) {
    Schedule<LoggedWorld> schedule;
    bool later = false;
    schedule.add("good").run([](LoggedWorld&, Commands<LoggedWorld>& commands) { log_by_command(commands, 1); });
    schedule.add("bad").after("good").run([](LoggedWorld&, Commands<LoggedWorld>& commands) {
        log_by_command(commands, 2);
        throw std::runtime_error("broken");
    });
    schedule.add("next").after("bad").run([&] { later = true; });
    schedule.add("next phase", phase::render).run([&] { later = true; });
    LoggedWorld world;
    const TickReport& report = run(schedule, world);
    EXPECT_TRUE(report.stopped);
    ASSERT_EQ(report.errors.size(), 1U);
    EXPECT_EQ(report.errors[0].system, "bad");
    EXPECT_EQ(report.errors[0].phase, "update");
    EXPECT_EQ(report.errors[0].what, "broken");
    EXPECT_FALSE(later);
    EXPECT_TRUE(world.log.empty());
    EXPECT_EQ(report.systems[0].outcome, NodeOutcome::done);
    EXPECT_EQ(report.systems[1].outcome, NodeOutcome::failed);
    EXPECT_EQ(report.systems[2].outcome, NodeOutcome::cancelled);
    EXPECT_EQ(report.systems[3].outcome, NodeOutcome::cancelled);
    EXPECT_THROW(report.rethrow(), std::runtime_error);
}

TEST_P(Errors, StopMayApplyWhatTheOthersOfThePhaseRecorded) {
    Schedule<LoggedWorld> schedule({.failed_phase = FailedPhase::apply_commands});
    schedule.add("good").run([](LoggedWorld&, Commands<LoggedWorld>& commands) { log_by_command(commands, 1); });
    schedule.add("bad").after("good").run([](LoggedWorld&, Commands<LoggedWorld>& commands) {
        log_by_command(commands, 2);
        throw 5;  // NOLINT(hicpp-exception-baseclass)
    });
    LoggedWorld world;
    const TickReport& report = run(schedule, world);
    EXPECT_EQ(world.log, std::vector<std::uint64_t>{1});
    EXPECT_EQ(report.errors[0].what, "something that is no std::exception");
}

TEST_P(Errors, CollectGoesOnAndCountsWhatIsBeyondTheMost) {
    Schedule<LoggedWorld> schedule({.errors = ErrorPolicy::collect, .most_errors = 3});
    for (int i = 0; i < 5; ++i) {
        schedule.add("bad " + std::to_string(i)).run([] { throw std::runtime_error("broken"); });
    }
    bool later = false;
    schedule.add("next").after("bad 0").run([&] { later = true; });
    LoggedWorld world;
    const TickReport& report = run(schedule, world);
    EXPECT_EQ(report.errors.size(), 3U);
    EXPECT_EQ(report.errors_beyond, 2U);
    EXPECT_TRUE(later);
    EXPECT_FALSE(report.stopped);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(report.errors[static_cast<std::size_t>(i)].system, "bad " + std::to_string(i));
    }
}

TEST_P(Errors, ReportNamesRangeAndEntity) {
    Schedule<LoggedWorld> schedule;
    schedule.add("visit").grain(10).each(100, [](LoggedWorld&, std::size_t i) {
        if (i == 57) throw std::runtime_error("at 57");
    });
    schedule.add("ranges", phase::render).grain(10).each(100, [](LoggedWorld&, IndexRange range) {
        if (range.first == 20) throw std::runtime_error("at 20");
    });
    LoggedWorld world;
    const TickReport& first = run(schedule, world);
    ASSERT_EQ(first.errors.size(), 1U);
    ASSERT_TRUE(first.errors[0].range.has_value());
    EXPECT_EQ(first.errors[0].range->first, 50U);
    EXPECT_EQ(first.errors[0].range->last, 60U);
    EXPECT_EQ(first.errors[0].entity, 57U);
    schedule.disable("visit");
    const TickReport& second = run(schedule, world);
    ASSERT_EQ(second.errors.size(), 1U);
    EXPECT_EQ(second.errors[0].range->first, 20U);
    EXPECT_FALSE(second.errors[0].entity.has_value());
}

TEST_P(Errors, AtEveryPlaceLeaveTheScheduleUsable) {
    enum Place { body, range, count, condition, apply, capture, background, kPlaces };
    for (int place = 0; place < kPlaces; ++place) {
        for (const ErrorPolicy policy : {ErrorPolicy::stop, ErrorPolicy::collect}) {
            // A background system may still run when it is set, and until the schedule is gone.
            std::atomic<bool> fails{true};
            const auto maybe = [&](int here) {
                if (fails && here == place) throw std::runtime_error("broken");
            };
            Schedule<LoggedWorld> schedule({.errors = policy});
            schedule.add("plain").run([&](LoggedWorld&, Commands<LoggedWorld>& commands) {
                maybe(body);
                commands.custom([&](LoggedWorld& w) {
                    maybe(apply);
                    w.log.push_back(1);
                });
            });
            schedule.add("ranges")
                .run_if([&](const LoggedWorld&) { return maybe(condition), true; })
                .grain(4)
                .each([&](const LoggedWorld&) { return maybe(count), 20; },
                      [&](LoggedWorld&, std::size_t i) {
                          if (i == 7) maybe(range);
                      });
            schedule.add("slow").background(
                1, [&](const LoggedWorld&) { return maybe(capture), 3; },
                [&](int&, Commands<LoggedWorld>&) { maybe(background); });
            LoggedWorld world;
            std::size_t errors = 0;
            for (int tick = 0; tick < 2; ++tick) errors += run(schedule, world).errors.size();
            EXPECT_GE(errors, 1U) << "place " << place;
            fails = false;
            run(schedule, world);  // a background system may still bring an old error
            world.log.clear();
            const TickReport& report = run(schedule, world);
            EXPECT_TRUE(report.ok()) << "place " << place << ": " << report.errors[0].what;
            EXPECT_EQ(world.log.size(), 1U);
        }
    }
}

TEST_P(Errors, CountThatChangesWithinItsSystemIsAnErrorByName) {
    std::atomic<std::size_t> count{10};
    Schedule<LoggedWorld> schedule;
    schedule.add("growing").each([&](const LoggedWorld&) { return count.load(); },
                                 [&](LoggedWorld&, std::size_t) { ++count; });
    LoggedWorld world;
    const TickReport& report = run(schedule, world);
    ASSERT_EQ(report.errors.size(), 1U);
    EXPECT_EQ(report.errors[0].system, "growing");
    EXPECT_NE(report.errors[0].what.find("changed from"), std::string::npos);
}

TEST_P(Errors, CommandsKeptBeyondTheirSystemAreRefused) {
    // A buffer outlives the call, the wrapper around it does not: only a system that hides one can get here.
    Schedule<LoggedWorld> schedule;
    std::optional<Commands<LoggedWorld>> kept;
    schedule.add("keep").run([&](LoggedWorld&, Commands<LoggedWorld>& commands) { kept.emplace(commands); });
    LoggedWorld world;
    run(schedule, world);
    EXPECT_THROW(kept->spawn(), Error);
}

}  // namespace
}  // namespace quarry::ecs
