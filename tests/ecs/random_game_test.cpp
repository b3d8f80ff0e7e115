// Random schedules, changed as they run, give the same world on any executor.
#include <cstdlib>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/ecs/support.hpp"

namespace quarry::ecs {
namespace {

using namespace test_support;

std::uint64_t seed_of_this_run() {
    const char* const given = std::getenv("QUARRY_TEST_SEED");  // NOLINT(concurrency-mt-unsafe): nobody sets any
    return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
}

// The same systems and the same changes to them for one seed, however the ticks are run.
class RandomGame {
  public:
    explicit RandomGame(std::uint64_t seed) : random_(seed), schedule_({.errors = ErrorPolicy::collect}) {
        for (int i = 0; i < 12; ++i) add_system();
    }

    template <class Run>
    void tick(Run run) {
        const TickReport& report = run(schedule_, world_);
        errors_ += report.errors.size() + report.errors_beyond;
        rejected_ += report.rejected;
        ++ticks_;
        const std::uint64_t draw = random_();
        if (draw % 5 == 0) add_system();
        const std::string any = "system " + std::to_string(draw / 8 % systems_);
        if (draw % 7 == 0) schedule_.disable(any);
        if (draw % 7 == 1) schedule_.enable(any);
        if (draw % 11 == 0) schedule_.add_sync_point(phase::update);
    }
    std::uint64_t hash() const { return mixed(mixed(hash_of(world_), errors_), rejected_); }
    std::uint64_t errors() const { return errors_; }

  private:
    using World = LoggedWorld;
    using Changes = Commands<World>;

    static void change(Changes& commands, std::uint64_t draw) {
        const SparseEntity entity{static_cast<std::uint32_t>(draw % 120), static_cast<std::uint32_t>(draw / 120 % 3)};
        switch (draw / 1000 % 6) {
            case 0:
                commands.despawn(entity);
                break;
            case 1:
                commands.add(commands.spawn(), Health{static_cast<std::int64_t>(draw % 50)});
                break;
            case 2:
                commands.add(entity, Velocity{static_cast<std::int64_t>(draw % 9)});
                break;
            case 3:
                commands.set(entity, Position{static_cast<std::int64_t>(draw % 99)});
                break;
            case 4:
                commands.remove<Health>(entity);
                break;
            default:
                commands.custom([draw](World& world) { world.log.push_back(draw + world.size()); });
        }
    }

    void add_system() {
        const std::uint64_t number = systems_++;
        const std::uint64_t draw = random_();
        static constexpr std::string_view kPhases[] = {phase::pre_update, phase::update, phase::render};
        System<World> system = schedule_.add("system " + std::to_string(number), kPhases[draw % 3]);
        if (draw % 13 == 0) system.exclusive();
        if (draw % 4 == 1) {
            system.run_if([number](const World& world) { return (world.size() + number) % 3 != 0; });
            system.reads<Position>();
        }
        const std::uint64_t kind = draw / 64 % 4;
        if (kind == 0) {
            system.writes<Position>()
                .reads<Velocity>()
                .grain(1 + draw % 20)
                .each([](const World& world) { return world.count<Position>(); },
                      [number](World& world, std::size_t i) {
                          Position& position = world.storage<Position>().at(i);
                          // Without a sign, for it may go round.
                          const std::uint64_t next = static_cast<std::uint64_t>(position.x) * 3 + number + i;
                          position.x = static_cast<std::int64_t>(next + world.count<Velocity>());
                      });
        } else if (kind == 1) {
            system.reads<Health, Position>()
                .grain(1 + draw % 7)
                .each([](const World& world) { return world.count<Health>(); },
                      [number](World& world, std::size_t i, Changes& commands) {
                          if (i >= 60) return;  // else more and more entities spawn more and more
                          const auto points = static_cast<std::uint64_t>(world.storage<Health>().at(i).points);
                          change(commands, mixed(points * 31 + i, number) >> 9);
                      });
        } else if (kind == 2) {
            system.background(
                1 + static_cast<std::uint32_t>(draw % 3), [](const World& world) { return hash_of(world); },
                [number](std::uint64_t& seen, Changes& commands) { change(commands, mixed(seen, number) >> 9); });
            system.reads<Position, Velocity, Health>();
        } else {
            system.writes<Health>().run([number, this](World& world, Changes& commands) {
                auto& healths = world.storage<Health>();
                if (number % 5 == 0 && (mixed(ticks_, number) >> 20) % 2 == 0) throw std::runtime_error("not today");
                for (std::size_t i = 0; i < healths.size(); ++i) healths.at(i).points += static_cast<int>(i % 3);
                for (std::uint64_t i = 0; i < 5; ++i) change(commands, mixed(ticks_ * 8 + i, number) >> 9);
            });
        }
    }

    std::mt19937_64 random_;
    std::uint64_t systems_ = 0;
    std::uint64_t ticks_ = 0;
    std::uint64_t errors_ = 0;
    std::uint64_t rejected_ = 0;
    World world_ = populated(90);
    Schedule<World> schedule_;  // before the world: systems in the background end with it
};

TEST(RandomGame, IsTheSameOnAnyExecutorHoweverTheyTakeTurns) {
    const std::uint64_t first = seed_of_this_run();
    Pool one(1);
    Pool two(2);
    Pool four(4);
    std::uint64_t errors = 0;
    for (std::uint64_t seed = first; seed < first + scaled(40); ++seed) {
        RandomGame expected(seed);
        RandomGame mixed_executors(seed);
        RandomGame on_four(seed);
        for (std::uint64_t tick = 0; tick < 15; ++tick) {
            expected.tick([](auto& schedule, auto& world) -> const TickReport& {
                return BlockingExecutor().run(schedule, world);
            });
            on_four.tick([&](auto& schedule, auto& world) -> const TickReport& {
                return ParallelExecutor(four).run(schedule, world);
            });
            mixed_executors.tick([&](auto& schedule, auto& world) -> const TickReport& {
                const std::uint64_t way = (seed + tick) % 4;
                if (way == 0) return BlockingExecutor().run(schedule, world);
                if (way == 1) return ShuffledExecutor(seed + tick).run(schedule, world);
                return ParallelExecutor(way == 2 ? one : two).run(schedule, world);
            });
            ASSERT_EQ(on_four.hash(), expected.hash()) << "tick " << tick << ", QUARRY_TEST_SEED=" << seed;
            ASSERT_EQ(mixed_executors.hash(), expected.hash()) << "tick " << tick << ", QUARRY_TEST_SEED=" << seed;
        }
        errors += expected.errors();
    }
    EXPECT_GT(errors, 0U);
}

}  // namespace
}  // namespace quarry::ecs
