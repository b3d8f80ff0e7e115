#include "fly/flight.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/noise_field.hpp>

#include "fly/headless_host.hpp"
#include "fly/live_view.hpp"
#include "fly/report.hpp"
#include "harness/machine.hpp"

namespace quarry::app {
namespace {

FlyOptions short_flight() {
    const auto field = std::make_shared<terrain::NoiseField>();
    FlyOptions options{.field_name = "noise",
                       .described = {field, nullptr},
                       .streamer = {},
                       .path_name = "demo",
                       .path = FlightPath::demo(*field, 60)};
    options.seconds = 0.5;
    options.streamer.radius = 200;
    options.streamer.lod_distance = 64;
    options.workers = 2;
    options.check = true;
    return options;
}

TEST(Flight, IsClosedInEveryFrameAndEndsAtRest) {
    Pool pool(2);
    FlyOptions options = short_flight();
    options.viewers = 2;
    const FlyOutcome outcome = run_flight(pool, options, {});
    EXPECT_EQ(outcome.holes, 0u) << outcome.first_hole;
    EXPECT_TRUE(outcome.ended_at_rest);
    EXPECT_EQ(outcome.frames.size(), 30u);
    EXPECT_GT(outcome.first_ring_ms, 0);
    EXPECT_GE(outcome.complete_ms, outcome.first_ring_ms);
    EXPECT_GE(outcome.closed_ms, outcome.complete_ms);
    EXPECT_GT(outcome.end.uploads, 20u);
    EXPECT_GT(outcome.mean(&FlyFrame::plan_us), 0);
    for (const FlyFrame& frame : outcome.frames) {
        EXPECT_LE(frame.results_us + frame.plan_us + frame.changes_us, frame.update_us + 0.01);
    }
    const std::string text = flight_json(outcome, options, bench::describe_machine());
    const auto json = nlohmann::json::parse(text);
    EXPECT_EQ(json["program"], "quarry fly");
    EXPECT_EQ(json["holes"], 0);
    EXPECT_EQ(json["states"]["meshing"], 0);
    EXPECT_GT(json["states"]["shown"], 0);
    EXPECT_FALSE(format_flight(outcome, options, bench::describe_machine(), Look(false)).empty());
}

TEST(Flight, StopsWhenItIsAskedTo) {
    Pool pool(2);
    std::stop_source stop;
    stop.request_stop();
    const FlyOutcome outcome = run_flight(pool, short_flight(), stop.get_token());
    EXPECT_TRUE(outcome.stopped);
    EXPECT_TRUE(outcome.frames.empty());
}

TEST(LiveView, ShowsTheViewerInTheMiddleOfWhatIsShown) {
    Pool pool(2);
    const FlyOptions options = short_flight();
    LiveView view(stderr, pool, options);
    std::string text;
    run_flight(pool, options, {}, [&](const FlyMoment& moment) { text = view.draw(moment, pool.stats()); });
    EXPECT_NE(text.find('@'), std::string::npos);
    EXPECT_NE(text.find('0'), std::string::npos);
    EXPECT_NE(text.find("budget"), std::string::npos);
    EXPECT_NE(text.find("worker 1"), std::string::npos);
    EXPECT_NE(text.find("retired"), std::string::npos);
}

TEST(LiveView, ShowsTheStatesOfChunksUnderWay) {
    Pool pool(2);
    const FlyOptions options = short_flight();
    // No terminal: no colours between the letters.
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
    LiveView view(file.get(), pool, options);
    std::string text;
    run_flight(pool, options, {}, [&](const FlyMoment& moment) {
        if (!text.empty()) return;
        const auto cell = static_cast<std::int32_t>(std::floor(moment.viewer.position.x / 32));
        const auto row = static_cast<std::int32_t>(std::floor(moment.viewer.position.z / 32));
        const auto note = [&](std::uint32_t slot, std::int32_t x, terrain::ChunkState to) {
            view.note({.id = {slot, 1}, .key = {0, x, 0, row}, .from = terrain::ChunkState::planned, .to = to});
        };
        note(0, cell + 1, terrain::ChunkState::queued);
        note(1, cell + 2, terrain::ChunkState::meshing);
        note(2, cell + 3, terrain::ChunkState::ready);
        note(3, cell + 4, terrain::ChunkState::handed_over);
        note(4, cell + 5, terrain::ChunkState::queued);
        note(4, cell + 5, terrain::ChunkState::retired);
        text = view.draw(moment, pool.stats());
    });
    EXPECT_NE(text.find("@qmrh"), std::string::npos) << text;
    EXPECT_EQ(text.find("@qmrhq"), std::string::npos) << text;
}

TEST(HeadlessHost, NotesEventsThatContradictEachOther) {
    HeadlessHost host(CpuWork(1), 0, true);
    terrain::Mesh mesh;
    mesh.positions.push_back({0, 0, 0});
    terrain::StreamEvent event;
    event.kind = terrain::StreamEvent::Kind::upload;
    event.id = {3, 1};
    event.mesh = &mesh;
    host(event);
    EXPECT_EQ(host.first_mistake(), "");
    terrain::ShownWorld world;
    world.chunks.push_back({.key = {}, .mask = 0, .has_mesh = true, .id = {3, 1}});
    EXPECT_NE(host.difference_to(world), "");
    const terrain::ChunkId id{3, 1};
    event.kind = terrain::StreamEvent::Kind::show;
    event.chunks = {&id, 1};
    host(event);
    EXPECT_EQ(host.difference_to(world), "");
    EXPECT_EQ(host.visible_meshes().size(), 1u);
    event.kind = terrain::StreamEvent::Kind::release;
    event.chunks = {};
    host(event);
    EXPECT_EQ(host.first_mistake(), "released while it is shown");
}

}  // namespace
}  // namespace quarry::app
