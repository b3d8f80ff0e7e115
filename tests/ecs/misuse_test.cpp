// Uses that are wrong, or rare: each has a clear answer, and the schedule is as good as before.
#include <csignal>
#include <memory>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "tests/ecs/support.hpp"

namespace quarry::ecs {
namespace {

using namespace test_support;

TEST(ScheduleMisuse, CommandsOnAnotherThreadThanThatOfTheSystemAreRefused) {
    for (const int workers : {0, 2}) {
        Pool pool(std::max(workers, 1));
        Schedule<LoggedWorld> schedule;
        int refused = 0;
        schedule.add("careless").run([&](LoggedWorld&, Commands<LoggedWorld>& commands) {
            commands.spawn();
            std::thread other([&] {
                try {
                    commands.spawn();
                } catch (const Error& error) {
                    EXPECT_NE(std::string(error.what()).find("thread"), std::string::npos);
                    ++refused;
                }
            });
            other.join();
            commands.spawn();
        });
        LoggedWorld world;
        if (workers == 0) {
            BlockingExecutor().run(schedule, world);
        } else {
            ParallelExecutor(pool).run(schedule, world);
        }
        EXPECT_EQ(refused, 1);
        EXPECT_EQ(world.size(), 2U);
    }
}

TEST(ScheduleMisuse, SpawnedOfAnotherCallIsRefusedEvenIfItsNumberFits) {
    Schedule<LoggedWorld> schedule;
    std::vector<Spawned> kept;
    schedule.add("system").grain(1).each(2, [&](LoggedWorld&, std::size_t, Commands<LoggedWorld>& commands) {
        const Spawned spawned = commands.spawn();
        if (kept.empty()) {
            kept.push_back(spawned);
        } else {
            commands.add(kept[0], Position{});  // both are number 0 of their calls
        }
    });
    LoggedWorld world;
    const TickReport& report = BlockingExecutor().run(schedule, world);
    ASSERT_EQ(report.errors.size(), 1U);
    EXPECT_NE(report.errors[0].what.find("only in the call"), std::string::npos);
    // And that of an earlier tick.
    kept.pop_back();
    BlockingExecutor().run(schedule, world);
    EXPECT_EQ(schedule.report().errors.size(), 1U);
}

TEST(ScheduleMisuse, SystemWithALimitOfNoCommandsMayRecordNone) {
    Schedule<LoggedWorld> schedule;
    schedule.add("silent").most_commands(0).run(
        [](LoggedWorld&, Commands<LoggedWorld>& commands) { commands.spawn(); });
    LoggedWorld world;
    const TickReport& report = BlockingExecutor().run(schedule, world);
    ASSERT_EQ(report.errors.size(), 1U);
    EXPECT_EQ(world.size(), 0U);
}

// The bound is for the memory, so it must hold while the system runs, in however many pieces.
TEST(ScheduleMisuse, LimitOfCommandsHoldsAcrossTheRangesOfASystem) {
    Schedule<LoggedWorld> schedule;
    std::atomic<std::size_t> recorded{0};
    schedule.add("greedy").most_commands(1000).grain(100).each(
        100'000, [&](LoggedWorld&, std::size_t, Commands<LoggedWorld>& commands) {
            commands.spawn();
            ++recorded;
        });
    LoggedWorld world;
    Pool pool(2);
    EXPECT_FALSE(ShuffledExecutor(1).run(schedule, world).ok());
    EXPECT_LE(recorded.load(), 1000U);
    recorded = 0;
    EXPECT_FALSE(ParallelExecutor(pool).run(schedule, world).ok());
    EXPECT_LE(recorded.load(), 2000U);
    EXPECT_EQ(world.size(), 0U);
}

// How many ranges run into it depends on the workers; the report does not.
TEST(ScheduleMisuse, LimitOfCommandsIsOneErrorHoweverManyRangesRunIntoIt) {
    for (const int workers : {1, 2, 4}) {
        Pool pool(workers);
        Schedule<LoggedWorld> schedule({.errors = ErrorPolicy::collect});
        schedule.add("greedy").most_commands(1000).grain(500).each(
            100'000, [](LoggedWorld&, std::size_t, Commands<LoggedWorld>& commands) {
                for (int i = 0; i < 2000; ++i) commands.spawn();
            });
        LoggedWorld world;
        const TickReport& report = ParallelExecutor(pool).run(schedule, world);
        ASSERT_EQ(report.errors.size() + report.errors_beyond, 1U) << workers << " workers";
        EXPECT_EQ(report.errors[0].what, "more than 1000 commands, which is the limit of this system");
    }
}

TEST(ScheduleMisuse, RejectedCommandThatIsAnErrorIsRethrown) {
    Schedule<LoggedWorld> schedule({.rejected = RejectedCommand::error});
    LoggedWorld world;
    const SparseEntity gone = world.spawn();
    world.despawn(gone);
    schedule.add("late").run([&](LoggedWorld&, Commands<LoggedWorld>& commands) { commands.despawn(gone); });
    const TickReport& report = BlockingExecutor().run(schedule, world);
    EXPECT_FALSE(report.ok());
    EXPECT_THROW(report.rethrow(), Error);
}

// Keeps a count of its own in functions that hide those of its base.
struct CountingWorld : SparseWorld {
    std::size_t despawned = 0;
    void despawn(Entity entity) {
        ++despawned;
        SparseWorld::despawn(entity);
    }
};

TEST(ScheduleMisuse, FunctionsOfADerivedWorldAreCalledHoweverManyCommandsAndWorkersThereAre) {
    Pool pool(2);
    for (const std::uint64_t from : {std::uint64_t{1}, std::uint64_t{1'000'000}}) {
        Schedule<CountingWorld> schedule({.parallel_commands = from});
        CountingWorld world;
        std::vector<SparseEntity> entities;
        for (int i = 0; i < 100; ++i) entities.push_back(world.spawn());
        schedule.add("end").run([&](CountingWorld&, Commands<CountingWorld>& commands) {
            for (const SparseEntity entity : entities) commands.despawn(entity);
        });
        ParallelExecutor(pool).run(schedule, world);
        EXPECT_EQ(world.despawned, 100U) << "from " << from;
        EXPECT_EQ(world.size(), 0U);
    }
}

struct Moody {
    int value = 0;
    Moody() = default;
    explicit Moody(int number) : value(number) {}
    Moody(Moody&&) = default;
    Moody& operator=(Moody&& other) {
        if (other.value < 0) throw std::runtime_error("mood " + std::to_string(other.value));
        value = other.value;
        return *this;
    }
};

TEST(ScheduleMisuse, ErrorsWhileApplyingAreTheSameInSeveralStorages) {
    Pool pool(2);
    std::vector<std::string> told[2];
    for (const bool by_storage : {false, true}) {
        Schedule<LoggedWorld> schedule({.errors = ErrorPolicy::collect, .parallel_commands = by_storage ? 1U : 1000U});
        LoggedWorld world;
        const SparseEntity entity = world.spawn();
        world.add(entity, Moody());
        world.add(entity, Position());
        schedule.add("change").run([&](LoggedWorld&, Commands<LoggedWorld>& commands) {
            for (int i = 1; i < 8; ++i) {
                commands.set(entity, Position{i});
                commands.set(entity, Moody(i % 2 == 0 ? -i : i));
            }
        });
        for (const SystemError& error : ParallelExecutor(pool).run(schedule, world).errors) {
            told[by_storage ? 1 : 0].push_back(error.what);
        }
        EXPECT_EQ(world.get<Moody>(entity)->value, 7);
    }
    ASSERT_EQ(told[0].size(), 3U);
    EXPECT_EQ(told[0][0], "while its commands were applied: mood -2");
    EXPECT_EQ(told[1], told[0]);
}

TEST(ScheduleMisuse, ConflictsWithoutAnOrderFollowTheOrderOfAddingAroundStatedOrders) {
    // "a" has to wait for "c". That is no reason for "b", which was added later, to overtake it.
    Schedule<LoggedWorld> schedule;
    schedule.add("a").writes<Position>().after("c").run([] {});
    schedule.add("b").writes<Position>().run([] {});
    schedule.add("c").run([] {});
    schedule.build();
    ASSERT_EQ(schedule.warnings().size(), 1U);
    EXPECT_NE(schedule.warnings()[0].find("\"a\" runs first"), std::string::npos) << schedule.warnings()[0];
    // Where the stated orders leave no other way, it is the other way round, and the warning says so.
    Schedule<LoggedWorld> turned;
    turned.add("a").writes<Position>().after("c").run([] {});
    turned.add("b").writes<Position>().run([] {});
    turned.add("c").after("b").run([] {});
    turned.build();
    EXPECT_TRUE(turned.warnings().empty());
    EXPECT_FALSE(turned.may_overlap("a", "b"));
}

void destroy_inside() {
    auto schedule = std::make_unique<Schedule<LoggedWorld>>();
    LoggedWorld world;
    schedule->add("end").run([&] { schedule.reset(); });
    BlockingExecutor().run(*schedule, world);
}

TEST(ScheduleMisuseDeathTest, ScheduleDestroyedInItsTickEndsTheProgramWithAMessage) {
    EXPECT_EXIT(destroy_inside(), testing::KilledBySignal(SIGABRT), "a schedule was destroyed while a tick of it ran");
}

TEST(ScheduleMisuse, SchedulesMayRunWithinSystemsOfOthersOnTheSamePool) {
    Pool pool(2);
    for (int round = 0; round < 20; ++round) {
        Schedule<LoggedWorld> inner;
        inner.add("visit").grain(4).each(200, [](LoggedWorld&, std::size_t i, Commands<LoggedWorld>& commands) {
            commands.custom([i](LoggedWorld& w) { w.log.push_back(i); });
        });
        LoggedWorld inner_world;
        Schedule<LoggedWorld> outer;
        outer.add("inner").run([&] { ParallelExecutor(pool).run(inner, inner_world).rethrow(); });
        outer.add("beside").grain(4).each(200, [](LoggedWorld&, std::size_t i, Commands<LoggedWorld>& commands) {
            commands.custom([i](LoggedWorld& w) { w.log.push_back(i); });
        });
        LoggedWorld world;
        ParallelExecutor(pool).run(outer, world).rethrow();
        ASSERT_EQ(world.log.size(), 200U);
        EXPECT_EQ(world.log, inner_world.log);
        EXPECT_TRUE(std::is_sorted(world.log.begin(), world.log.end()));
    }
}

TEST(ScheduleMisuse, ExecutorOnAnotherPoolThanTheOneThatTheThreadWorksFor) {
    Pool one(3);
    Pool other(2);
    Schedule<LoggedWorld> schedule;
    schedule.add("visit").grain(4).each(500, [](LoggedWorld&, std::size_t i, Commands<LoggedWorld>& commands) {
        commands.custom([i](LoggedWorld& w) { w.log.push_back(i); });
    });
    LoggedWorld world;
    one.submit([&] {
           for (int tick = 0; tick < 20; ++tick) ParallelExecutor(other).run(schedule, world).rethrow();
       })
        .get();
    ASSERT_EQ(world.log.size(), 20U * 500U);
    for (std::size_t i = 0; i < world.log.size(); ++i) ASSERT_EQ(world.log[i], i % 500);
}

}  // namespace
}  // namespace quarry::ecs
