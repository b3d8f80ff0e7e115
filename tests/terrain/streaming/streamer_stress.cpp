#include "quarry/terrain/streamer.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/edited_field.hpp"
#include "quarry/terrain/mesh_worker_pool.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "tests/terrain/streaming/scripted_host.hpp"

namespace quarry::terrain {
namespace {

// Two seconds, or as long as a soak says.
std::chrono::duration<double> stress_time() {
    const char* const text = std::getenv("QUARRY_SOAK_SECONDS");  // NOLINT(concurrency-mt-unsafe)
    return std::chrono::duration<double>(text == nullptr ? 2 : std::stod(text));
}

class Wanderer {
  public:
    Wanderer(Pool& pool, std::uint64_t seed) : random_(seed), streamer_(pool, field(), options()) {
        // Not from a list: GCC 12 takes its memory for uninitialised.
        viewers_.push_back({.position = {0, 5, 0}, .direction = {1, 0, 0}});
    }

    void frame() {
        const int kind = random_.integer(0, 199);
        if (kind == 0) viewers_[0].position = random_.position(5'000);
        if (kind == 1 && viewers_.size() < 3) viewers_.push_back(viewers_[0]);
        if (kind == 2 && viewers_.size() > 1) viewers_.pop_back();
        if (kind == 3) streamer_.exchange(field());
        if (kind == 4) streamer_.exchange(nullptr, options());
        for (Viewer& viewer : viewers_) {
            const Position by = random_.position(kind % 10 == 5 ? 20 : 2);
            viewer.position = {viewer.position.x + by.x, std::clamp(viewer.position.y + by.y, -40.0, 60.0),
                               viewer.position.z + by.z};
            if (kind == 6) viewer.direction = random_.position(1);
        }
        streamer_.update(viewers_);
        const ShownWorld planned = streamer_.shown();
        streamer_.inbox().deliver(std::chrono::microseconds(random_.integer(1, 3'000)), host_);
        check(planned);
    }
    void settle() {
        for (int i = 0; i < 100'000 && !streamer_.at_rest(); ++i) {
            streamer_.update(viewers_);
            streamer_.inbox().deliver(std::chrono::milliseconds(2), host_);
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
        EXPECT_TRUE(streamer_.at_rest());
        check(streamer_.shown());
        EXPECT_TRUE(streamer_.shown().missing.empty());
        EXPECT_EQ(host_.size(), host_.visible());
        host_.expect_closed(streamer_.shown(), 8);
    }

  private:
    std::shared_ptr<const Field> field() {
        return std::make_shared<NoiseField>(NoiseOptions{
            .seed = static_cast<std::uint64_t>(random_.integer(1, 100)), .frequency = 0.03, .amplitude = 20});
    }
    StreamerOptions options() {
        StreamerOptions options = streaming::ScriptedStreamer::small_options();
        options.radius = random_.real(60, 120);
        options.lod_distance = random_.real(12, 30);
        options.cache_bytes = static_cast<std::size_t>(random_.integer(0, 3'000'000));
        return options;
    }
    void check(const ShownWorld& planned) {
        const ShownWorld world = streamer_.shown();
        const ShownCheck found = check_shown(world, planned);
        EXPECT_TRUE(found.is_right()) << found.first << ", seed " << random_.seed();
        host_.compare(world);
    }

    Random random_;
    streaming::SuspiciousHost host_;
    Streamer streamer_;
    std::vector<Viewer> viewers_;
};

TEST(StreamerStress, RandomFlightsOnOnePoolAreAlwaysClosed) {
    Pool pool(3);
    const auto end = std::chrono::steady_clock::now() + stress_time();
    for (std::uint64_t round = 1; std::chrono::steady_clock::now() < end && !testing::Test::HasFailure(); ++round) {
        Wanderer one(pool, 2 * round);
        Wanderer two(pool, 2 * round + 1);
        for (int frame = 0; frame < 300 && std::chrono::steady_clock::now() < end; ++frame) {
            one.frame();
            two.frame();
        }
        one.settle();
        two.settle();
    }
}

TEST(StreamerStress, EditsInFlightAreAlwaysClosed) {
    Pool pool(3);
    Random random(77);
    SCOPED_TRACE(seed_text());
    EditWorld world(std::make_shared<NoiseField>(NoiseOptions{.seed = 3, .frequency = 0.03, .amplitude = 20}));
    streaming::SuspiciousHost host;
    Streamer streamer(pool, world.field(), streaming::ScriptedStreamer::small_options());
    Viewer viewer{.position = {0, 5, 0}, .direction = {1, 0, 0}};
    const auto frame = [&] {
        streamer.update(viewer);
        const ShownWorld planned = streamer.shown();
        streamer.inbox().deliver(std::chrono::microseconds(random.integer(1, 3'000)), host);
        const ShownWorld shown = streamer.shown();
        const ShownCheck found = check_shown(shown, planned);
        ASSERT_TRUE(found.is_right()) << found.first;
        host.compare(shown);
    };
    const auto end = std::chrono::steady_clock::now() + stress_time();
    while (std::chrono::steady_clock::now() < end && !testing::Test::HasFailure()) {
        viewer.position.x += random.real(0, 3);
        for (int i = random.integer(0, 3); i > 0; --i) {
            const Edit edit{
                .kind = random.integer(0, 2) == 0 ? EditKind::add : EditKind::dig,
                .at = {viewer.position.x + random.real(-60, 60), random.real(-40, 40), random.real(-60, 60)},
                .radius = static_cast<float>(random.real(1, 10))};
            const EditReport report = world.apply(edit);
            if (report.any()) streamer.edit(world.field(), report.changed);
        }
        frame();
    }
    while (!streamer.at_rest() && !testing::Test::HasFailure()) frame();
    EXPECT_TRUE(streamer.shown().missing.empty());
    host.expect_closed(streamer.shown(), 8);
}

TEST(StreamerStress, MeshWorkersLoseNoRequest) {
    const auto field = std::make_shared<NoiseField>();
    Random random(1);
    SCOPED_TRACE(random.seed());
    for (int round = 0; round < 8; ++round) {
        MeshWorkerPool workers(random.integer(1, 4), static_cast<std::size_t>(random.integer(1, 20)));
        int sent = 0;
        int received = 0;
        while (sent < 200) {
            MeshRequest request{.key = {0, sent % 20, 0, sent / 20}, .field = field, .cells = 8};
            if (random.integer(0, 1) == 0) {
                workers.request(std::move(request));
                ++sent;
            } else if (workers.try_request(std::move(request))) {
                ++sent;
            }
            if (workers.try_result()) ++received;
        }
        while (received < sent) {
            if (workers.try_result()) ++received;
        }
        EXPECT_EQ(workers.open(), 0u);
    }
}

}  // namespace
}  // namespace quarry::terrain
