#include <array>
#include <memory>

#include <gtest/gtest.h>

#include "tests/ecs/support.hpp"

namespace quarry::ecs {
namespace {

using namespace test_support;

// Runs one system once.
template <class F>
TickReport run_once(LoggedWorld& world, F&& f, const ScheduleOptions& options = {}) {
    Schedule<LoggedWorld> schedule(options);
    schedule.add("system").run(std::forward<F>(f));
    return BlockingExecutor().run(schedule, world);
}

TEST(Commands, SpawnedEntitiesGetTheirIdsInTheOrderOfCommands) {
    LoggedWorld world;
    const SparseEntity old = world.spawn();
    run_once(world, [&](LoggedWorld&, Commands<LoggedWorld>& commands) {
        const Spawned a = commands.spawn();
        commands.despawn(old);
        const Spawned b = commands.spawn();
        commands.add(b, Position{2});
        commands.add(a, Position{1});
    });
    EXPECT_FALSE(world.alive(old));
    EXPECT_EQ(world.size(), 2U);
    EXPECT_EQ(world.get<Position>({1, 0})->x, 1);
    EXPECT_EQ(world.get<Position>({0, 1})->x, 2);  // the place that became free
}

TEST(Commands, AddSetRemoveAndCustomDoWhatTheySay) {
    LoggedWorld world;
    const SparseEntity entity = world.spawn();
    world.add(entity, Position{1});
    world.add(entity, Health{5});
    const TickReport report = run_once(world, [&](LoggedWorld&, Commands<LoggedWorld>& commands) {
        commands.set(entity, Position{7});
        commands.add(entity, Velocity{3});
        commands.remove<Health>(entity);
        commands.custom([](LoggedWorld& w) { w.log.push_back(4); });
    });
    EXPECT_EQ(report.commands, 4U);
    EXPECT_EQ(report.systems[0].commands, 4U);
    EXPECT_EQ(world.get<Position>(entity)->x, 7);
    EXPECT_EQ(world.get<Velocity>(entity)->x, 3);
    EXPECT_EQ(world.get<Health>(entity), nullptr);
    EXPECT_EQ(world.log, std::vector<std::uint64_t>{4});
}

TEST(Commands, PayloadsMayBeMoveOnlyLargeAndAligned) {
    struct alignas(64) Big {
        std::array<std::uint64_t, 100'000> numbers;
    };
    LoggedWorld world;
    std::uintptr_t address = 1;
    run_once(world, [&](LoggedWorld&, Commands<LoggedWorld>& commands) {
        for (int i = 0; i < 3; ++i) {
            commands.custom([owned = std::make_unique<std::uint64_t>(7)](LoggedWorld& w) { w.log.push_back(*owned); });
            auto big = std::make_unique<Big>();
            big->numbers.back() = 9;
            commands.custom([big = *big, &address](LoggedWorld& w) {
                address = reinterpret_cast<std::uintptr_t>(&big) % 64;
                w.log.push_back(big.numbers.back());
            });
        }
    });
    EXPECT_EQ(world.log, (std::vector<std::uint64_t>{7, 9, 7, 9, 7, 9}));
    EXPECT_EQ(address, 0U);
}

TEST(Commands, PayloadsOfDiscardedCommandsAreDestroyed) {
    const auto counted = std::make_shared<int>(0);
    LoggedWorld world;
    run_once(world, [&](LoggedWorld&, Commands<LoggedWorld>& commands) {
        commands.custom([counted](LoggedWorld& w) { w.log.push_back(1); });
        throw std::runtime_error("no");
    });
    EXPECT_TRUE(world.log.empty());
    EXPECT_EQ(counted.use_count(), 1);
}

TEST(Commands, ToAnEntityThatIsGoneAreCountedAndNotApplied) {
    LoggedWorld world;
    const SparseEntity entity = world.spawn();
    const auto body = [&](LoggedWorld&, Commands<LoggedWorld>& commands) {
        commands.despawn(entity);
        commands.add(entity, Position{1});
        commands.despawn(entity);
        const Spawned spawned = commands.spawn();
        commands.set(spawned, Position{1});  // it has none
    };
    const TickReport report = run_once(world, body);
    EXPECT_TRUE(report.ok());
    EXPECT_EQ(report.rejected, 3U);
    EXPECT_EQ(world.size(), 1U);
    EXPECT_EQ(world.storage<Position>().size(), 0U);
    LoggedWorld other;
    static_cast<void>(other.spawn());
    const TickReport strict = run_once(other, body, {.rejected = RejectedCommand::error});
    ASSERT_EQ(strict.errors.size(), 3U);
    EXPECT_EQ(strict.errors[0].system, "system");
    EXPECT_NE(strict.errors[0].what.find("add of an entity that is gone"), std::string::npos);
    EXPECT_NE(strict.errors[2].what.find("has not"), std::string::npos);
}

TEST(Commands, SpawnedOfAnotherCallIsRefused) {
    LoggedWorld world;
    Schedule<LoggedWorld> schedule;
    std::vector<Spawned> kept;
    schedule.add("system").grain(1).each(2, [&](LoggedWorld&, std::size_t, Commands<LoggedWorld>& commands) {
        if (kept.empty()) {
            static_cast<void>(commands.spawn());
            kept.push_back(commands.spawn());
        } else {
            static_cast<void>(commands.spawn());
            commands.add(kept[0], Position{});  // number 1, but this call has spawned one only
        }
    });
    const TickReport& report = BlockingExecutor().run(schedule, world);
    ASSERT_EQ(report.errors.size(), 1U);
    EXPECT_NE(report.errors[0].what.find("only in the call"), std::string::npos);
}

TEST(Commands, R58BeyondTheLimitAreAnErrorThatNamesTheSystemAndNothingIsApplied) {
    for (const int workers : {1, 4}) {
        Pool pool(workers);
        Schedule<LoggedWorld> schedule({.errors = ErrorPolicy::collect});
        schedule.add("greedy").most_commands(100).grain(1).each(
            101, [](LoggedWorld&, std::size_t i, Commands<LoggedWorld>& commands) {
                commands.custom([i](LoggedWorld& w) { w.log.push_back(i); });
            });
        schedule.add("modest").run([](LoggedWorld&, Commands<LoggedWorld>& commands) {
            commands.custom([](LoggedWorld& w) { w.log.push_back(1000); });
        });
        LoggedWorld world;
        const TickReport& report = ParallelExecutor(pool).run(schedule, world);
        ASSERT_EQ(report.errors.size(), 1U);
        EXPECT_EQ(report.errors[0].system, "greedy");
        EXPECT_NE(report.errors[0].what.find("100"), std::string::npos);
        EXPECT_EQ(world.log, std::vector<std::uint64_t>{1000});
    }
}

TEST(Commands, ManyOfThemGrowTheBuffer) {
    LoggedWorld world;
    run_once(world, [](LoggedWorld&, Commands<LoggedWorld>& commands) {
        for (std::uint64_t i = 0; i < 100'000; ++i) commands.custom([i](LoggedWorld& w) { w.log.push_back(i); });
    });
    ASSERT_EQ(world.log.size(), 100'000U);
    for (std::uint64_t i = 0; i < 100'000; ++i) ASSERT_EQ(world.log[i], i);
}

TEST(Commands, ErrorWhileApplyingIsThatOfItsSystemAndTheOthersAreApplied) {
    LoggedWorld world;
    const TickReport report = run_once(world, [](LoggedWorld&, Commands<LoggedWorld>& commands) {
        commands.custom([](LoggedWorld& w) { w.log.push_back(1); });
        commands.custom([](LoggedWorld&) { throw std::runtime_error("cannot"); });
        commands.custom([](LoggedWorld& w) { w.log.push_back(2); });
    });
    ASSERT_EQ(report.errors.size(), 1U);
    EXPECT_EQ(report.errors[0].what, "while its commands were applied: cannot");
    EXPECT_EQ(world.log, (std::vector<std::uint64_t>{1, 2}));
}

}  // namespace
}  // namespace quarry::ecs
