#include "quarry/terrain/streamer.hpp"

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "tests/terrain/streaming/scripted_host.hpp"

namespace quarry::terrain {
namespace {

using streaming::ScriptedStreamer;
using streaming::SuspiciousHost;

struct FlownStreamer {
    FlownStreamer(Pool& pool, std::uint64_t seed)
        : streamer(pool, std::make_shared<NoiseField>(NoiseOptions{.seed = seed, .frequency = 0.03, .amplitude = 20}),
                   ScriptedStreamer::small_options()) {}

    void frame(const Viewer& viewer) {
        streamer.update(viewer);
        const ShownWorld planned = streamer.shown();
        streamer.inbox().deliver(std::chrono::milliseconds(2), host);
        const ShownWorld world = streamer.shown();
        const ShownCheck found = check_shown(world, planned);
        EXPECT_TRUE(found.is_right()) << found.first;
        host.compare(world);
    }
    void settle(const Viewer& viewer) {
        for (int i = 0; i < 10'000 && !streamer.at_rest(); ++i) {
            frame(viewer);
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        EXPECT_TRUE(streamer.at_rest());
        host.expect_closed(streamer.shown(), 8);
    }

    SuspiciousHost host;
    Streamer streamer;
};

TEST(Streamer, TwoOnOnePoolFollowTheirViewers) {
    Pool pool(3);
    FlownStreamer one(pool, 1);
    FlownStreamer two(pool, 2);
    for (int i = 0; i < 150; ++i) {
        one.frame({.position = {i * 2.0, 5, 0}, .direction = {1, 0, 0}});
        two.frame({.position = {0, 5, i * -1.5}, .direction = {0, 0, -1}});
        std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
    one.settle({.position = {300, 5, 0}});
    two.settle({.position = {0, 5, -225}});
    EXPECT_TRUE(one.streamer.ready_around({300, 5, 0}, 140));
    EXPECT_TRUE(two.streamer.ready_around({0, 5, -225}, 140));
}

// A lane that has room for hardly any job.
TEST(Streamer, GoesOnWhereThePoolsQueuesAreFull) {
    Pool pool(PoolOptions{.workers = 1, .queue_capacity = 2});
    FlownStreamer one(pool, 1);
    FlownStreamer two(pool, 2);
    for (int i = 0; i < 40; ++i) {
        one.frame({.position = {i * 4.0, 5, 0}});
        two.frame({.position = {0, 5, i * -4.0}});
    }
    one.settle({.position = {160, 5, 0}});
    two.settle({.position = {0, 5, -160}});
}

TEST(Streamer, CanBeDestroyedWhileWorkersAreAtIt) {
    Pool pool(2);
    for (int i = 0; i < 30; ++i) {
        FlownStreamer flown(pool, 5);
        flown.streamer.update({.position = {0, 5, 0}});
        std::this_thread::sleep_for(std::chrono::microseconds(i * 50));
        flown.streamer.inbox().deliver(std::chrono::microseconds(100), flown.host);
    }
}

TEST(Streamer, ShowsTheSameWorldForAnyNumberOfWorkers) {
    std::set<streaming::ShownPlace> expected;
    for (const int workers : {1, 2, 4}) {
        Pool pool(workers);
        FlownStreamer flown(pool, 3);
        for (int i = 0; i < 40; ++i) flown.frame({.position = {i * 3.0, 5, 0}});
        flown.settle({.position = {120, 5, 0}});
        const auto places = streaming::places_shown(flown.streamer.shown());
        if (expected.empty()) expected = places;
        EXPECT_EQ(places, expected);
    }
}

}  // namespace
}  // namespace quarry::terrain
