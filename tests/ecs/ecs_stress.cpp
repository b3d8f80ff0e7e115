#include <random>

#include <gtest/gtest.h>

#include "tests/ecs/support.hpp"

namespace quarry::ecs {
namespace {

using namespace test_support;

// A world that knows who is in it: readers and writers of each thing. What a system writes is plain memory, so the
// thread sanitizer sees every overlap, too.
struct GuardedWorld {
    static constexpr std::size_t kThings = 6;
    std::atomic<int> users[kThings]{};  // readers, or -1 for a writer
    std::uint64_t values[kThings]{};
    std::atomic<int> overlaps{0};

    void read(std::size_t thing) {
        if (users[thing].fetch_add(1) < 0) ++overlaps;
        sum_ += values[thing];
        users[thing].fetch_sub(1);
    }
    void write(std::size_t thing) {
        int nobody = 0;
        if (!users[thing].compare_exchange_strong(nobody, -1)) ++overlaps;
        ++values[thing];
        users[thing].store(0);
    }

  private:
    std::atomic<std::uint64_t> sum_{0};
};

TEST(EcsStress, ConflictingSystemsNeverOverlap) {
    static std::atomic<unsigned> round{0};
    std::mt19937 random(round.fetch_add(1));
    Schedule<GuardedWorld> schedule;
    Stalls stalls(random());
    std::uint64_t writes[GuardedWorld::kThings]{};
    for (int i = 0; i < 30; ++i) {
        const std::size_t read = random() % GuardedWorld::kThings;
        const std::size_t written = random() % GuardedWorld::kThings;
        ++writes[written];
        schedule.add("system " + std::to_string(i))
            .reads(AccessKey::named("thing " + std::to_string(read)))
            .writes(AccessKey::named("thing " + std::to_string(written)))
            .run([read, written, &stalls](GuardedWorld& world) {
                if (read != written) world.read(read);
                stalls.maybe();
                world.write(written);
            });
    }
    Pool pool(4);
    GuardedWorld world;
    constexpr std::uint64_t kTicks = 6;
    for (std::uint64_t tick = 0; tick < kTicks; ++tick) ParallelExecutor(pool).run(schedule, world);
    EXPECT_EQ(world.overlaps.load(), 0);
    for (std::size_t i = 0; i < GuardedWorld::kThings; ++i) EXPECT_EQ(world.values[i], writes[i] * kTicks);
}

TEST(EcsStress, CommandsFromRangesOnManyWorkersKeepTheirOrder) {
    Pool pool(4);
    Schedule<LoggedWorld> schedule;
    Stalls stalls(11);
    schedule.add("record").grain(4).each(400, [&](LoggedWorld&, std::size_t i, Commands<LoggedWorld>& commands) {
        if (i % 16 == 0) stalls.maybe();
        commands.custom([i](LoggedWorld& world) { world.log.push_back(i); });
    });
    schedule.add("slowly").background(
        2, [](const LoggedWorld& world) { return world.log.size(); },
        [](std::size_t& seen, Commands<LoggedWorld>& commands) {
            commands.custom([seen](LoggedWorld& world) { world.log.push_back(1'000'000 + seen); });
        });
    LoggedWorld world;
    for (int tick = 0; tick < 5; ++tick) ASSERT_TRUE(ParallelExecutor(pool).run(schedule, world).ok());
    std::vector<std::uint64_t> expected;
    for (std::uint64_t tick = 1; tick <= 5; ++tick) {
        for (std::uint64_t i = 0; i < 400; ++i) expected.push_back(i);
        if (tick == 3) expected.push_back(1'000'000);
        if (tick == 5) expected.push_back(1'000'000 + 800);
    }
    EXPECT_EQ(world.log, expected);
}

}  // namespace
}  // namespace quarry::ecs
