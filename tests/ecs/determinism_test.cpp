// The same commands in the same order, and the same world, for any schedule and any number of workers.
#include <functional>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "tests/ecs/support.hpp"

namespace quarry::ecs {
namespace {

using namespace test_support;

void add_late_systems(Schedule<LoggedWorld>& schedule) {
    schedule.add("speed up", phase::post_update)
        .writes<Velocity>()
        .each([](const LoggedWorld& world) { return world.find_storage<Velocity>()->size(); },
              [](LoggedWorld& world, std::size_t i) { world.storage<Velocity>().at(i).x += 1; });
    schedule.add("newcomers", phase::post_update)
        .reads<Position>()
        .run([](LoggedWorld& world, Commands<LoggedWorld>& commands) {
            for (int i = 0; i < 3; ++i) {
                const Spawned born = commands.spawn();
                commands.add(born, Velocity{static_cast<std::int64_t>(world.size())});
                if (i == 1) commands.remove<Velocity>(born);
            }
        });
}

// Systems of all kinds: split ones, conflicting ones, ones that spawn, despawn and log.
void add_systems(Schedule<LoggedWorld>& schedule, Stalls* stalls) {
    const auto stall = [stalls] {
        if (stalls != nullptr) stalls->maybe();
    };
    schedule.add("move", phase::update)
        .reads<Velocity>()
        .writes<Position>()
        .grain(16)
        .each([](const LoggedWorld& world) { return world.find_storage<Velocity>()->size(); },
              [stall](LoggedWorld& world, IndexRange range) {
                  stall();
                  auto& velocities = world.storage<Velocity>();
                  for (std::size_t i = range.first; i < range.last; ++i) {
                      if (Position* const position = world.storage<Position>().find(velocities.entities()[i])) {
                          position->x += velocities.at(i).x;
                      }
                  }
              });
    schedule.add("hurt", phase::update)
        .writes<Health>()
        .grain(8)
        .each([](const LoggedWorld& world) { return world.find_storage<Health>()->size(); },
              [stall](LoggedWorld& world, std::size_t i, Commands<LoggedWorld>& commands) {
                  if (i % 8 == 0) stall();
                  auto& healths = world.storage<Health>();
                  healths.at(i).points -= static_cast<std::int64_t>(i % 13);
                  const SparseEntity entity = healths.entities()[i];
                  if (healths.at(i).points <= 0) {
                      commands.despawn(entity);
                      const Spawned born = commands.spawn();
                      commands.add(born, Position{static_cast<std::int64_t>(entity.index)});
                      commands.add(born, Health{50 + static_cast<std::int64_t>(i % 5)});
                      commands.custom([i](LoggedWorld& target) { target.log.push_back(i); });
                  } else if (i % 3 == 0) {
                      commands.set(entity, Position{static_cast<std::int64_t>(i)});
                  }
              });
    schedule.add("tag ranges", phase::update)
        .reads<Position>()
        .each([](const LoggedWorld& world) { return world.find_storage<Position>()->size(); },
              // One command a call: the calls themselves must be the same.
              [stall](LoggedWorld&, IndexRange range, Commands<LoggedWorld>& commands) {
                  stall();
                  commands.custom([first = range.first, last = range.last](LoggedWorld& world) {
                      world.log.push_back(first * 1'000'000 + last);
                  });
              })
        .after("move");
    for (int i = 0; i < 6; ++i) {
        schedule.add("light " + std::to_string(i), phase::update)
            .reads<Health>()
            .run([i, stall](LoggedWorld& world, Commands<LoggedWorld>& commands) {
                stall();
                commands.custom([i, size = world.size()](LoggedWorld& target) {
                    target.log.push_back(size * 10 + static_cast<std::size_t>(i));
                });
            });
    }
    add_late_systems(schedule);
}

constexpr int kTicks = 6;

template <class Executor>
std::uint64_t hash_after(Executor executor, Stalls* stalls) {
    Schedule<LoggedWorld> schedule;
    add_systems(schedule, stalls);
    LoggedWorld world = populated(400);
    for (int tick = 0; tick < kTicks; ++tick) EXPECT_TRUE(executor.run(schedule, world).ok());
    return hash_of(world);
}

TEST(Determinism, R57SameCommandsAndWorldFor100RunsOn1To8WorkersWithStalls) {
    const std::uint64_t expected = hash_after(BlockingExecutor(), nullptr);
    for (int workers = 1; workers <= 8; ++workers) {
        Pool pool(workers);
        const std::size_t runs = scaled(100, 20);
        for (std::size_t run = 0; run < runs; ++run) {
            Stalls stalls(run * 8 + static_cast<std::size_t>(workers));
            ASSERT_EQ(hash_after(ParallelExecutor(pool), &stalls), expected) << workers << " workers, run " << run;
        }
    }
}

TEST(Determinism, R57ShuffledRunsInOneThreadGiveTheSame) {
    const std::uint64_t expected = hash_after(BlockingExecutor(), nullptr);
    for (std::uint64_t seed = 0; seed < scaled(100); ++seed) {
        ASSERT_EQ(hash_after(ShuffledExecutor(seed * kTicks), nullptr), expected) << "seed " << seed;
    }
}

// Goes through all sequences of choices, as a counter with digits of different bases.
class EveryChoice {
  public:
    std::size_t operator()(std::size_t below) {
        if (at_ == digits_.size()) digits_.push_back({0, below});
        return digits_[at_++].value;
    }
    // To the next sequence; false: that was the last.
    bool next() {
        at_ = 0;
        while (!digits_.empty() && digits_.back().value + 1 >= digits_.back().below) digits_.pop_back();
        if (digits_.empty()) return false;
        ++digits_.back().value;
        return true;
    }

  private:
    struct Digit {
        std::size_t value;
        std::size_t below;
    };
    std::vector<Digit> digits_;
    std::size_t at_ = 0;
};

void add_small_graph(Schedule<LoggedWorld>& schedule) {
    const auto log = [&](const char* name, std::uint64_t number) {
        return schedule.add(name).run([number](LoggedWorld& world, Commands<LoggedWorld>& commands) {
            commands.custom([number, seen = world.size()](LoggedWorld& w) { w.log.push_back(number * 100 + seen); });
            commands.spawn();
        });
    };
    log("a", 1).writes<Position>();
    log("b", 2).writes<Position>();
    log("c", 3).reads<Health>();
    log("d", 4).after("c");
    schedule.add("ranges").grain(2).each(6, [](LoggedWorld&, IndexRange range, Commands<LoggedWorld>& commands) {
        commands.custom([first = range.first](LoggedWorld& w) { w.log.push_back(first); });
    });
}

TEST(Determinism, R57EveryScheduleOfASmallGraphGivesTheSame) {
    std::optional<std::uint64_t> expected;
    EveryChoice choices;
    const GraphChoice choose = std::ref(choices);
    std::size_t schedules = 0;
    Schedule<LoggedWorld> schedule;
    add_small_graph(schedule);
    do {
        LoggedWorld world;
        const TickReport& report = schedule.core().tick(&world, {nullptr, true, 0, &choose});
        ASSERT_TRUE(report.ok());
        if (!expected) expected = hash_of(world);
        ASSERT_EQ(hash_of(world), *expected) << "schedule " << schedules;
        ++schedules;
    } while (choices.next());
    // Orders of a->b, c->d and one alone: 5! / (2 * 2) = 30, each with 3! orders of the blocks.
    EXPECT_EQ(schedules, 180U);
}

TEST(Determinism, OrderOfCommandsIsSystemThenFirstEntityThenSequence) {
    for (const int workers : {1, 4}) {
        Pool pool(workers);
        Schedule<LoggedWorld> schedule;
        for (std::uint64_t system = 0; system < 3; ++system) {
            schedule.add("system " + std::to_string(system))
                .grain(4)
                .each(64, [system](LoggedWorld&, std::size_t i, Commands<LoggedWorld>& commands) {
                    for (std::uint64_t k = 0; k < 2; ++k) {
                        commands.custom([=](LoggedWorld& w) { w.log.push_back(system * 1000 + i * 2 + k); });
                    }
                });
        }
        LoggedWorld world;
        ParallelExecutor(pool).run(schedule, world);
        std::vector<std::uint64_t> expected;
        for (std::uint64_t system = 0; system < 3; ++system) {
            for (std::uint64_t i = 0; i < 128; ++i) expected.push_back(system * 1000 + i);
        }
        EXPECT_EQ(world.log, expected);
    }
}

TEST(Determinism, R69EveryEntityOfARangeIsVisitedOnceWhoeverTakesIt) {
    for (int workers = 1; workers <= 4; ++workers) {
        std::vector<std::atomic<int>> visits(5000);
        Pool pool(workers);
        Schedule<LoggedWorld> schedule;
        Stalls stalls(static_cast<std::uint64_t>(workers));
        schedule.add("visit").grain(3).each(5000, [&](LoggedWorld&, std::size_t i) {
            if (i % 50 == 0) stalls.maybe();
            ++visits[i];
        });
        LoggedWorld world;
        for (int tick = 1; tick <= 10; ++tick) {
            ParallelExecutor(pool).run(schedule, world);
            for (const auto& visit : visits) ASSERT_EQ(visit.load(), tick);
        }
    }
}

// Many commands of all kinds to a few storages; `from`: how many make them be applied by storage.
std::uint64_t hash_of_many_commands(Pool& pool, std::uint64_t from, std::uint64_t* rejected, std::size_t calls = 2000) {
    Schedule<LoggedWorld> schedule({.parallel_commands = from});
    schedule.add("change").grain(16).each(calls, [](LoggedWorld& world, std::size_t i,
                                                    Commands<LoggedWorld>& commands) {
        const std::uint64_t draw = mixed(i + world.size(), 99) >> 7;
        const SparseEntity entity{static_cast<std::uint32_t>(draw % 900), static_cast<std::uint32_t>(draw / 900 % 3)};
        if (draw % 11 < 2) commands.despawn(entity);
        if (draw % 11 < 4) commands.add(entity, Velocity{static_cast<std::int64_t>(i)});
        if (draw % 5 == 0) commands.remove<Position>(entity);
        if (draw % 3 == 0) commands.set(entity, Health{static_cast<std::int64_t>(i)});
        if (draw % 7 == 0) {
            const Spawned born = commands.spawn();
            commands.add(born, Position{static_cast<std::int64_t>(i)});
            if (draw % 2 == 0) commands.despawn(born);
            if (draw % 13 == 0) commands.add(born, Health{1});
        }
    });
    LoggedWorld world = populated(800);
    for (int tick = 0; tick < 5; ++tick) *rejected += ParallelExecutor(pool).run(schedule, world).rejected;
    return hash_of(world);
}

TEST(Determinism, R68CommandsAppliedByStorageGiveTheSameAsOneAfterTheOther) {
    Pool one(1);
    std::uint64_t expected_rejected = 0;
    const std::uint64_t expected = hash_of_many_commands(one, 1, &expected_rejected);
    EXPECT_GT(expected_rejected, 100U);
    for (int workers = 2; workers <= 4; ++workers) {
        Pool pool(workers);
        for (const std::uint64_t from : {1ULL, 1'000'000'000ULL}) {
            for (std::size_t run = 0; run < scaled(20); ++run) {
                std::uint64_t rejected = 0;
                ASSERT_EQ(hash_of_many_commands(pool, from, &rejected), expected) << workers << ", from " << from;
                EXPECT_EQ(rejected, expected_rejected);
            }
        }
    }
}

// Enough for several batches: one is sorted while the one before is applied.
TEST(Determinism, R68BatchesOfCommandsGiveTheSameAsOneAfterTheOther) {
    constexpr std::size_t kCalls = 60'000;
    Pool one(1);
    std::uint64_t expected_rejected = 0;
    const std::uint64_t expected = hash_of_many_commands(one, 1, &expected_rejected, kCalls);
    for (int workers = 2; workers <= 4; ++workers) {
        Pool pool(workers);
        for (std::size_t run = 0; run < scaled(3); ++run) {
            std::uint64_t rejected = 0;
            ASSERT_EQ(hash_of_many_commands(pool, 1, &rejected, kCalls), expected) << workers;
            EXPECT_EQ(rejected, expected_rejected);
        }
    }
}

}  // namespace
}  // namespace quarry::ecs
