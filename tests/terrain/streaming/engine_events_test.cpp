#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "terrain/world/distance.hpp"
#include "tests/terrain/streaming/scripted_host.hpp"
#include "tests/terrain/test_fields.hpp"

namespace quarry::terrain::streaming {
namespace {

std::shared_ptr<const Field> rolling_hills(std::uint64_t seed = 3) {
    return std::make_shared<NoiseField>(NoiseOptions{.seed = seed, .frequency = 0.03, .amplitude = 20});
}

Viewer looking(double x, double z, Position direction = {1, 0, 0}) {
    return {.position = {x, 5, z}, .direction = direction};
}

// Hills that cannot be computed in one place.
class Broken final : public Field {
  public:
    explicit Broken(bool in_bounds = false) : in_bounds_(in_bounds) {}

    void densities(std::span<const Position> points, std::span<float> out) const override {
        for (const Position& point : points) {
            if (point.x > 40 && point.x < 48 && point.z > 0 && point.z < 8) throw std::runtime_error("a broken place");
        }
        hills_.densities(points, out);
    }
    Interval bounds(const Box& box) const override {
        if (in_bounds_ && box.low.x < 48 && box.high.x > 40) throw std::runtime_error("no bounds");
        return hills_.bounds(box);
    }
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override {
        hills_.gradients(points, spacing, out);
    }

  private:
    NoiseField hills_{{.seed = 3, .frequency = 0.03, .amplitude = 20}};
    bool in_bounds_;
};

TEST(StreamEngineErrors, AreReportedForTheChunkAndTheRestGoesOn) {
    for (const bool in_bounds : {false, true}) {
        ScriptedStreamer streamer(std::make_shared<Broken>(in_bounds));
        streamer.settle({looking(0, 0)});
        EXPECT_FALSE(streamer.errors.empty());
        EXPECT_EQ(streamer.engine->stats().failed, streamer.errors.size());
        EXPECT_GT(streamer.host.visible(), 20u);
        EXPECT_FALSE(streamer.engine->ready_around({44, 5, 4}, 10));
        EXPECT_TRUE(streamer.engine->ready_around({-40, 5, -40}, 10));
        // Flying over it and away goes on, too.
        for (int frame = 0; frame < 80; ++frame) {
            streamer.update({looking(frame * 2, 2)});
            streamer.jobs->run_all();
            streamer.deliver();
        }
        streamer.settle({looking(1000, 0)});
        EXPECT_TRUE(streamer.engine->ready_around({1000, 5, 0}, 100));
    }
}

// What the host has of the new world waits for the rest of it, and must not keep that from being made.
TEST(StreamEngine, ExchangesAWorldOfMoreChunksThanMayBeOnTheirWay) {
    StreamerOptions options = ScriptedStreamer::small_options();
    options.pending = 128;
    options.radius = 80;
    ScriptedStreamer streamer(rolling_hills(7), options);
    streamer.settle({looking(0, 0)});
    options.max_lod = 0;
    streamer.engine->exchange(rolling_hills(8), options);
    streamer.settle({looking(0, 0)});
    EXPECT_TRUE(streamer.engine->at_rest());
    EXPECT_GT(streamer.engine->stats().in_state[static_cast<std::size_t>(ChunkState::shown)], 2 * options.pending);
}

TEST(StreamEngineErrors, KeepTheParentWhereChildrenCanNotBeMade) {
    ScriptedStreamer streamer(std::make_shared<Broken>());
    // Far enough away that coarse chunks, whose samples miss the broken place, are shown there.
    streamer.settle({looking(-90, 4)});
    const std::size_t before = streamer.errors.size();
    for (int frame = 0; frame < 60; ++frame) {
        streamer.update({looking(-90 + frame * 2, 4)});
        streamer.jobs->run_all();
        streamer.deliver();
    }
    streamer.settle({looking(30, 4)});
    EXPECT_GT(streamer.errors.size(), before);
    EXPECT_TRUE(streamer.engine->shown().missing.empty());
}

TEST(StreamEngineErrors, NoResultIsLostWhereTheHostThrowsAtOne) {
    ScriptedStreamer streamer(std::make_shared<Broken>());
    streamer.throws_at_errors = true;
    int thrown = 0;
    int frames = 0;
    do {
        try {
            streamer.update({looking(0, 0)});
            streamer.jobs->run_all();
            streamer.deliver();
        } catch (const std::runtime_error&) {
            ++thrown;
        }
    } while (!streamer.engine->at_rest() && ++frames < 400);
    EXPECT_GT(thrown, 0);
    EXPECT_TRUE(streamer.engine->at_rest());
    EXPECT_EQ(streamer.engine->stats().failed, streamer.errors.size());
    ScriptedStreamer other(std::make_shared<Broken>());
    other.settle({looking(0, 0)});
    EXPECT_EQ(places_shown(streamer.engine->shown()), places_shown(other.engine->shown()));
}

TEST(StreamEngine, GivesEveryValueAFieldOfNanIsEmpty) {
    class NotANumber final : public test_support::DistanceField {
        double distance(Position) const override { return kNan; }
    };
    ScriptedStreamer streamer(std::make_shared<NotANumber>());
    streamer.settle({looking(0, 0)});
    EXPECT_EQ(streamer.host.events, 0u);
}

TEST(StreamEngine, ExchangesTheFieldInOneDeliveryWhenTheNewWorldIsComplete) {
    ScriptedStreamer streamer(rolling_hills());
    const std::vector<Viewer> viewers{looking(0, 0)};
    streamer.settle(viewers);
    const std::set<ShownPlace> old_places = places_shown(streamer.engine->shown());
    streamer.engine->exchange(rolling_hills(8), streamer.engine->options());
    for (int frame = 0; frame < 500 && !streamer.engine->at_rest(); ++frame) {
        streamer.update(viewers);
        for (int job = 0; job < 20; ++job) {
            streamer.jobs->begin();
            streamer.jobs->end();
        }
        streamer.deliver(DeliveryBudget::only_items(20));
        const std::set<ShownPlace> places = places_shown(streamer.engine->shown());
        if (places != old_places) break;
        streamer.check_closed();
    }
    EXPECT_NE(places_shown(streamer.engine->shown()), old_places);
    EXPECT_TRUE(streamer.engine->shown().missing.empty());
    streamer.check_closed();
    streamer.settle(viewers);
    EXPECT_EQ(streamer.host.size(), streamer.host.visible());

    ScriptedStreamer fresh(rolling_hills(8));
    fresh.settle(viewers);
    EXPECT_EQ(places_shown(streamer.engine->shown()), places_shown(fresh.engine->shown()));
}

TEST(StreamEngine, AnExchangeDuringAnExchangeLeavesTheLastOne) {
    ScriptedStreamer streamer(rolling_hills());
    streamer.settle({looking(0, 0)});
    for (std::uint64_t seed = 4; seed < 9; ++seed) {
        streamer.engine->exchange(rolling_hills(seed), streamer.engine->options());
        streamer.update({looking(0, 0)});
        for (std::uint64_t job = 0; job < 10 * seed; ++job) streamer.jobs->begin();
        for (std::uint64_t job = 0; job < 8 * seed; ++job) streamer.jobs->end();
        streamer.deliver(DeliveryBudget::only_items(10));
    }
    StreamerOptions options = streamer.engine->options();
    options.lod_distance = 32;
    streamer.engine->exchange(rolling_hills(9), options);
    streamer.settle({looking(0, 0)});
    EXPECT_EQ(streamer.engine->options().lod_distance, 32);
    ScriptedStreamer fresh(rolling_hills(9), options);
    fresh.settle({looking(0, 0)});
    EXPECT_EQ(places_shown(streamer.engine->shown()), places_shown(fresh.engine->shown()));
    EXPECT_EQ(streamer.host.size(), streamer.host.visible());
}

TEST(StreamEngine, TurningBackCostsNoExtraction) {
    ScriptedStreamer streamer(rolling_hills());
    const auto fly = [&](double from, double to) {
        for (int step = 0; step <= 40; ++step) {
            streamer.update({looking(from + (to - from) * step / 40, 0)});
            streamer.jobs->run_all();
            streamer.deliver();
        }
        streamer.settle({looking(to, 0)});
    };
    streamer.settle({looking(0, 0)});
    fly(0, 60);
    const std::uint64_t meshed = streamer.engine->stats().meshed;
    fly(60, 0);
    EXPECT_EQ(streamer.engine->stats().meshed, meshed);
    EXPECT_GT(streamer.engine->stats().cache_hits, 10u);
}

TEST(StreamEngine, TeleportsEveryFrameBoundWhatIsKept) {
    StreamerOptions options = ScriptedStreamer::small_options();
    options.pending = 200;
    options.cache_bytes = 2'000'000;
    ScriptedStreamer streamer(rolling_hills(), options);
    Random random(4);
    SCOPED_TRACE(random.seed());
    std::size_t most_nodes = 0;
    for (int frame = 0; frame < 300; ++frame) {
        Viewer viewer = looking(random.real(-1e5, 1e5), random.real(-1e5, 1e5));
        streamer.update({viewer});
        for (int job = 0; job < 20; ++job) {
            streamer.jobs->begin();
            streamer.jobs->end();
        }
        streamer.deliver(DeliveryBudget::only_items(30));
        const StreamerStats stats = streamer.engine->stats();
        most_nodes = std::max(most_nodes, stats.nodes);
        ASSERT_LE(streamer.jobs->queued() + streamer.jobs->running(), options.pending);
        ASSERT_LE(stats.cached_bytes, options.cache_bytes);
        ASSERT_LE(stats.releases_waiting, 2 * options.pending);
    }
    EXPECT_LT(most_nodes, 6'000u);
    EXPECT_LT(streamer.host.most_chunks, 3 * options.pending);
    EXPECT_GT(streamer.engine->stats().cancelled, 1'000u);
}

TEST(StreamEngine, AnEventThatThrowsComesAgain) {
    ScriptedStreamer streamer(rolling_hills());
    Random random(2);
    SCOPED_TRACE(random.seed());
    struct Clumsy {
        SuspiciousHost& host;
        Random& random;
        int thrown = 0;
        void operator()(StreamEvent& event) {
            if (random.integer(0, 4) == 0) {
                ++thrown;
                throw std::runtime_error("dropped");
            }
            host(event);
        }
    } clumsy{streamer.host, random};
    const StreamerInbox::Receiver receiver{&clumsy,
                                           [](void* to, StreamEvent& event) { (*static_cast<Clumsy*>(to))(event); }};
    for (int frame = 0; frame < 150; ++frame) {
        streamer.update({looking(frame, 0)});
        streamer.jobs->run_all();
        if (frame == 70) streamer.engine->exchange(rolling_hills(5), streamer.engine->options());
        for (int again = 0; again < 200; ++again) {
            try {
                streamer.engine->deliver(DeliveryBudget::everything(), receiver);
                break;
            } catch (const std::runtime_error&) {
            }
        }
        streamer.check();
    }
    EXPECT_GT(clumsy.thrown, 20);
    streamer.settle({looking(150, 0)});
}

TEST(StreamEngine, RequestsAreRankedAnewWhenTheViewerTurns) {
    ScriptedStreamer streamer(rolling_hills());
    streamer.update({looking(0, 0, {1, 0, 0})});
    // How much further away than it is a request seems to be, on average, in front of the viewer and behind it.
    const auto ahead = [&] {
        double in_front = 0, behind = 0;
        int fronts = 0, backs = 0;
        for (const auto& [rank, job] : streamer.jobs->waiting()) {
            const double width = 8 << job.rank_key.lod;
            const double distance = std::sqrt(impl::square_of_distance(job.rank_key, width, LatticePlace{0, 5, 0}));
            if (distance < 20) continue;
            if (job.rank_key.x * width > 20) in_front += rank / distance, ++fronts;
            if ((job.rank_key.x + 1) * width < -20) behind += rank / distance, ++backs;
        }
        return behind / backs - in_front / fronts;
    };
    EXPECT_GT(ahead(), 0.15);
    streamer.update({looking(0, 0, {-1, 0, 0})});
    EXPECT_GE(streamer.jobs->reorders, 1);
    EXPECT_LT(ahead(), -0.15);
}

TEST(StreamEngine, CanBeDestroyedInEveryState) {
    for (int jobs = 0; jobs < 60; jobs += 3) {
        ScriptedStreamer streamer(rolling_hills());
        streamer.update({looking(0, 0)});
        for (int job = 0; job < jobs; ++job) streamer.jobs->begin();
        for (int job = 0; job < jobs / 2; ++job) streamer.jobs->end();
        streamer.deliver(DeliveryBudget::only_items(static_cast<std::size_t>(1 + jobs / 4)));
        streamer.update({looking(jobs, 0)});
        if (jobs % 2 == 0) streamer.engine->exchange(rolling_hills(9), streamer.engine->options());
    }
}

TEST(StreamEngine, AFarAwayViewerSeesTheSameSeams) {
    StreamerOptions options = ScriptedStreamer::small_options();
    ScriptedStreamer streamer(rolling_hills(), options);
    const double far = 1'000'000;
    streamer.settle({looking(far, -far)});
    EXPECT_GT(streamer.host.visible(), 50u);
    streamer.check_closed();
    for (int frame = 1; frame < 40; ++frame) {
        streamer.update({looking(far + frame * 1.5, -far)});
        streamer.jobs->run_all();
        streamer.deliver();
    }
    streamer.check_closed();
}

TEST(StreamEngine, RefusesWrongInputAndKeepsTheWorld) {
    ScriptedStreamer streamer(rolling_hills());
    streamer.settle({looking(0, 0)});
    const std::size_t visible = streamer.host.visible();
    const auto refuses = [&](const std::vector<Viewer>& viewers, const char* what) {
        const std::string refusal = refusal_of([&] { streamer.update(viewers); });
        EXPECT_NE(refusal.find(what), std::string::npos) << refusal;
    };
    refuses({{.position = {kNan, 0, 0}}}, "position");
    refuses({{.position = {0, kInfinite, 0}}}, "position");
    refuses({{.position = {0, 0, 0}, .direction = {0, kNan, 0}}}, "direction");
    refuses({{.position = {1e12, 0, 0}}}, "voxels");
    refuses(std::vector<Viewer>(1'000), "1000 viewers; at most 64");
    streamer.update({});
    streamer.jobs->run_all();
    streamer.deliver();
    EXPECT_EQ(streamer.host.visible(), visible);
    EXPECT_TRUE(streamer.engine->at_rest());

    const auto options_refused = [&](auto change, const char* what) {
        StreamerOptions options = streamer.engine->options();
        change(options);
        const std::string refusal = refusal_of([&] { streamer.engine->exchange(nullptr, options); });
        EXPECT_EQ(refusal.find(what), 0u) << refusal;
    };
    for (const double size : {0.0, -1.0, kNan, kInfinite, 1e12}) {
        options_refused([&](StreamerOptions& options) { options.radius = size; }, "radius is ");
        options_refused([&](StreamerOptions& options) { options.lod_distance = size; }, "lod_distance is ");
    }
    options_refused([](StreamerOptions& options) { options.radius = 1e8; }, "radius is ");
    options_refused([](StreamerOptions& options) { options.max_lod = 30; }, "max_lod is 30");
    options_refused([](StreamerOptions& options) { options.cells = 7; }, "cells is 7");
    options_refused([](StreamerOptions& options) { options.hysteresis = 0.5; }, "hysteresis is 0.5");
    options_refused([](StreamerOptions& options) { options.view_weight = kNan; }, "view_weight is ");
    options_refused([](StreamerOptions& options) { options.look_ahead = -1; }, "look_ahead is ");
    const auto never_begins = [](auto change) {
        StreamerOptions options = ScriptedStreamer::small_options();
        change(options);
        return refusal_of([&] { Engine(std::make_unique<ScriptedJobs>(), rolling_hills(), options); });
    };
    EXPECT_EQ(never_begins([](StreamerOptions& options) { options.pending = 1; }).find("pending is 1"), 0u);
    EXPECT_EQ(never_begins([](StreamerOptions& options) { options.lane = Lane::host; }).find("lane is host"), 0u);
    EXPECT_EQ(refusal_of([&] { Engine(std::make_unique<ScriptedJobs>(), nullptr, {}); }), "a streamer needs a field");
    EXPECT_TRUE(streamer.engine->at_rest());
    EXPECT_EQ(streamer.host.visible(), visible);
}

TEST(StreamEngine, BelongsToTheThreadOfItsHost) {
    ScriptedStreamer streamer(rolling_hills());
    std::thread([&] {
        EXPECT_THROW(streamer.update({looking(0, 0)}), Error);
        EXPECT_THROW(streamer.engine->deliver(DeliveryBudget::everything(), {nullptr, nullptr}), Error);
    }).join();
}

}  // namespace
}  // namespace quarry::terrain::streaming
