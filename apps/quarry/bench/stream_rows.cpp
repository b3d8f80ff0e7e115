#include "bench/stream_rows.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <thread>
#include <utility>

#include <quarry/terrain/streamer.hpp>
#include <quarry/terrain/world.hpp>

#include "bench/stream_peer.hpp"
#include "fly/flight.hpp"
#include "tools/cpu_work.hpp"

namespace quarry::app {
namespace {

using BenchClock = std::chrono::steady_clock;

constexpr double kHeight = 20;  // of a viewer that stands
constexpr double kMebibyteOfPlan = 1024 * 1024;

double ms_between(BenchClock::time_point start, BenchClock::time_point end) {
    return std::chrono::duration<double, std::milli>(end - start).count();
}

double us_of(std::chrono::nanoseconds time) {
    return std::chrono::duration<double, std::micro>(time).count();
}

terrain::StreamerOptions options_for(const StreamBench& bench, double radius = 1024) {
    terrain::StreamerOptions options;
    options.radius = radius;
    options.materials = bench.described.materials;
    return options;
}

struct FillTimes {
    double first_ring = 0;
    double complete = 0;
    double closed = 0;
};

// A world from nothing, by a host that looks every half a millisecond and keeps every mesh.
FillTimes fill(terrain::Streamer& streamer, std::vector<terrain::Mesh>& kept) {
    const terrain::Viewer viewer{.position = {0, kHeight, 0}, .direction = {1, 0, 0}};
    const double radius = streamer.options().radius;
    FillTimes times;
    const BenchClock::time_point start = BenchClock::now();
    while (times.closed == 0) {
        streamer.update(viewer);
        streamer.inbox().deliver(DeliveryBudget::everything(), [&](terrain::StreamEvent& event) {
            if (event.kind == terrain::StreamEvent::Kind::upload) kept.push_back(std::move(*event.mesh));
        });
        if (times.first_ring == 0 && streamer.ready_around(viewer.position, 32)) {
            times.first_ring = ms_between(start, BenchClock::now());
        }
        if (times.complete == 0 && streamer.ready_around(viewer.position, radius)) {
            times.complete = ms_between(start, BenchClock::now());
        }
        if (streamer.at_rest()) times.closed = ms_between(start, BenchClock::now());
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    return times;
}

struct FilledWorld {
    std::vector<terrain::PlacedChunk> places;
    std::vector<terrain::PlacedChunk> surface;  // of these
};

FilledWorld places_of_shown(const terrain::Streamer& streamer) {
    FilledWorld filled;
    const terrain::ShownWorld world = streamer.shown();
    for (const terrain::ShownChunk& chunk : world.chunks) {
        filled.places.push_back({chunk.key, chunk.mask});
        if (chunk.has_mesh) filled.surface.push_back({chunk.key, chunk.mask});
    }
    for (const terrain::ChunkKey& key : world.empty) filled.places.push_back({key, 0});
    return filled;
}

struct FillFigures {
    double closed_ms = 0;
    double meshed_ms = 0;  // by mesh_world
    double triangles = 0;
};

// The same chunks by another program, just after.
void add_peer(const StreamBench& bench, const FilledWorld& world, const FillFigures& own,
              std::vector<StreamFigure>& figures) {
    if (bench.peer == nullptr) return;
    constexpr std::string_view kPeer = "transvoxel";
    const StreamPeer::Figures peer = bench.peer->mesh(world.surface, bench.pool.worker_count());
    const std::string unit(kRateUnit);
    const auto rate = [&](double ms) { return static_cast<double>(world.surface.size()) / ms * 1e3; };
    figures.push_back({"streamed", unit, rate(own.closed_ms)});
    figures.push_back({"meshed", unit, rate(own.meshed_ms)});
    figures.push_back({"meshed", unit, rate(peer.ms), kPeer});
    figures.push_back({"meshed_from_samples", unit, rate(peer.meshing_ms), kPeer});
    figures.push_back({"triangles", std::string(kTrianglesUnit), own.triangles});
    figures.push_back({"triangles", std::string(kTrianglesUnit), peer.triangles, kPeer});
}

std::vector<StreamFigure> measure_fill(const StreamBench& bench) {
    std::vector<terrain::Mesh> kept;
    FilledWorld filled;
    FillTimes times;
    {
        terrain::Streamer streamer(bench.pool, bench.described.field, options_for(bench));
        times = fill(streamer, kept);
        filled = places_of_shown(streamer);
    }
    const auto uploads = static_cast<double>(kept.size());
    kept.clear();
    double triangles = 0;
    terrain::WorldOptions world;
    world.extract.materials = bench.described.materials.get();
    const auto mesh = [&](terrain::Keep keep) {
        world.keep = keep;
        const BenchClock::time_point start = BenchClock::now();
        const terrain::WorldMesh meshed = terrain::mesh_world(bench.pool, *bench.described.field, filled.places, world);
        const BenchClock::time_point end = BenchClock::now();
        if (keep == terrain::Keep::baked) triangles = static_cast<double>(meshed.triangles);
        return ms_between(start, end);
    };
    const double baked = mesh(terrain::Keep::baked);
    const double extracted = mesh(terrain::Keep::extracted);
    std::vector<StreamFigure> figures{{"first_ring", "ms", times.first_ring},
                                      {"complete", "ms", times.complete},
                                      {"closed", "ms", times.closed},
                                      {"mesh_world", "ms", baked},
                                      {"mesh_world_extracted", "ms", extracted},
                                      {"complete_times", "x", times.complete / baked},
                                      {"closed_times", "x", times.closed / baked},
                                      {"uploads", "", uploads}};
    add_peer(bench, filled, {times.closed, baked, triangles}, figures);
    return figures;
}

// Between two events of a delivery, where the first one was an upload: what the streamer does to hand a mesh over and
// to find the next one of the group. To find the group that is next lies between other events.
class UploadGaps {
  public:
    void event_begins() {
        if (after_upload_) gaps_.push_back(us_of(BenchClock::now() - last_end_));
    }
    void event_ends(bool is_upload) {
        after_upload_ = is_upload;
        last_end_ = BenchClock::now();
    }
    void delivery_ends() { after_upload_ = false; }
    double median() {
        const auto middle = gaps_.begin() + static_cast<std::ptrdiff_t>(gaps_.size() / 2);
        std::nth_element(gaps_.begin(), middle, gaps_.end());
        return gaps_.empty() ? 0 : *middle;
    }

  private:
    std::vector<double> gaps_;
    BenchClock::time_point last_end_;
    bool after_upload_ = false;
};

// The streamer's own share of a hand-over: a host that does nothing but take the mesh.
std::vector<StreamFigure> measure_hand_over(const StreamBench& bench) {
    terrain::Streamer streamer(bench.pool, bench.described.field, options_for(bench));
    const terrain::Viewer viewer{.position = {0, kHeight, 0}};
    std::vector<terrain::Mesh> kept;
    kept.reserve(4'096);
    std::chrono::nanoseconds spent{};
    UploadGaps gaps;
    while (!streamer.at_rest() || kept.empty()) {
        streamer.update(viewer);
        // All that this delivery will hand over is there before it begins.
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        const std::chrono::nanoseconds start = thread_cpu_time();
        streamer.inbox().deliver(DeliveryBudget::everything(), [&](terrain::StreamEvent& event) {
            gaps.event_begins();
            const bool is_upload = event.kind == terrain::StreamEvent::Kind::upload;
            if (is_upload) kept.push_back(std::move(*event.mesh));
            gaps.event_ends(is_upload);
        });
        spent += thread_cpu_time() - start;
        gaps.delivery_ends();
    }
    return {{"hand_over", "us", gaps.median()},
            {"hand_over_and_choice", "us", us_of(spent) / static_cast<double>(kept.size())}};
}

double update_cost(terrain::Streamer& streamer, const terrain::Viewer& viewer) {
    const std::chrono::nanoseconds start = thread_cpu_time();
    streamer.update(viewer);
    return us_of(thread_cpu_time() - start);
}

std::vector<StreamFigure> measure_teleport(const StreamBench& bench) {
    terrain::StreamerOptions options = options_for(bench);
    options.timed = true;
    terrain::Streamer streamer(bench.pool, bench.described.field, options);
    double most = 0;
    double most_plan = 0;
    for (int i = 0; i < 12; ++i) {
        const terrain::Viewer viewer{.position = {i * 9'000.0 + 7 * i, kHeight, i % 3 * 5'000.0}};
        const double cost = update_cost(streamer, viewer);
        // The first ones take memory for the first time.
        if (i >= 3) {
            most = std::max(most, cost);
            most_plan = std::max(most_plan, us_of(streamer.stats().last_update.plan));
        }
        while (!streamer.at_rest()) {
            streamer.update(viewer);
            streamer.inbox().deliver(DeliveryBudget::everything(), [](terrain::StreamEvent&) {});
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    return {{"teleport_plan", "us", most_plan}, {"teleport_update", "us", most}};
}

FlyOutcome flight(const StreamBench& bench, double speed, bool turns, double radius = 1024) {
    FlyOptions options{.field_name = "",
                       .described = bench.described,
                       .streamer = options_for(bench, radius),
                       .path_name = "demo",
                       .path = FlightPath::demo(*bench.described.field, speed)};
    options.seconds = bench.seconds;
    options.speed = speed;
    options.turns = turns;
    return run_flight(bench.pool, options, {});
}

std::vector<StreamFigure> figures_of_flight(const std::string& name, const FlyOutcome& outcome) {
    std::size_t uploads = 0;
    for (const FlyFrame& frame : outcome.frames) uploads = std::max(uploads, frame.uploads);
    double late = 0;
    for (std::size_t i = 0; i < outcome.end.late.size(); ++i) {
        if (outcome.end.late[i] > outcome.start.late[i]) late = static_cast<double>(i);
    }
    const auto total = [](const FlyFrame& frame) { return frame.total_us(); };
    const auto wall = [](const FlyFrame& frame) { return frame.wall_us; };
    return {{name + "_over_budget", "frames", static_cast<double>(outcome.over_budget)},
            {name + "_most", "us", outcome.percentile(1, total)},
            {name + "_wall_p999", "us", outcome.percentile(0.999, wall)},
            {name + "_plan", "us", outcome.mean(&FlyFrame::plan_us)},
            {name + "_plan_most", "us", outcome.most(&FlyFrame::plan_us)},
            {name + "_results", "us", outcome.mean(&FlyFrame::results_us)},
            {name + "_results_most", "us", outcome.most(&FlyFrame::results_us)},
            {name + "_changes", "us", outcome.mean(&FlyFrame::changes_us)},
            {name + "_changes_most", "us", outcome.most(&FlyFrame::changes_us)},
            {name + "_update", "us", outcome.mean(&FlyFrame::update_us)},
            {name + "_update_most", "us", outcome.most(&FlyFrame::update_us)},
            {name + "_wasted", "%", 100 * outcome.wasted_share()},
            {name + "_late", "frames", late},
            {name + "_uploads_most", "", static_cast<double>(uploads)},
            {name + "_rebaked", "", static_cast<double>(outcome.end.rebaked - outcome.start.rebaked)}};
}

std::vector<StreamFigure> measure_fly_100(const StreamBench& bench) {
    return figures_of_flight("fly_100", flight(bench, 100, false));
}
std::vector<StreamFigure> measure_fly_1000(const StreamBench& bench) {
    return figures_of_flight("fly_1000", flight(bench, 1000, false));
}
std::vector<StreamFigure> measure_turns(const StreamBench& bench) {
    return figures_of_flight("turns", flight(bench, 100, true));
}

std::vector<StreamFigure> measure_far(const StreamBench& bench) {
    StreamBench shorter{bench.pool, bench.described, std::min(bench.seconds, 5.0)};
    const FlyOutcome near = flight(shorter, 100, false, 1'024);
    const FlyOutcome far = flight(shorter, 100, false, 16'384);
    std::vector<StreamFigure> figures = figures_of_flight("far", far);
    figures.push_back({"far_complete", "ms", far.complete_ms});
    figures.push_back({"far_nodes", "", static_cast<double>(far.end.nodes)});
    figures.push_back(
        {"far_nodes_times", "x", static_cast<double>(far.end.nodes) / static_cast<double>(near.end.nodes)});
    figures.push_back({"far_plan_memory", "MiB", static_cast<double>(far.most_tree_bytes) / kMebibyteOfPlan});
    figures.push_back({"far_meshes", "MiB", static_cast<double>(far.most_mesh_bytes) / kMebibyteOfPlan});
    return figures;
}

constexpr std::array kStreamRows{
    StreamRow{"fill", "a world of radius 1,024 from nothing, against mesh_world of the same chunks", false,
              measure_fill},
    StreamRow{"hand_over",
              "the streamer's own time for each mesh that the host takes; with choosing what is shown next", false,
              measure_hand_over},
    StreamRow{"teleport", "CPU time of the plan after a jump, and of the whole update, the longest of 9", false,
              measure_teleport},
    StreamRow{"fly_100", "a flight at 100 units/s and 60 Hz, 15 us a mesh, budget 2 ms", true, measure_fly_100},
    StreamRow{"fly_1000", "a flight at 1,000 units/s", true, measure_fly_1000},
    StreamRow{"turns", "100 units/s, looking back every second", true, measure_turns},
    StreamRow{"far", "radius 16,384 with 8 levels, 5 s at 100 units/s", true, measure_far},
};

struct StreamAim {
    std::string_view name;
    double most;
};

constexpr std::array kStreamAims{
    StreamAim{"first_ring", 5},        StreamAim{"complete_times", 1.25}, StreamAim{"closed_times", 1.25},
    StreamAim{"hand_over", 1},         StreamAim{"teleport_plan", 1'000}, StreamAim{"fly_100_over_budget", 0},
    StreamAim{"turns_late", 2},        StreamAim{"fly_100_plan", 20},     StreamAim{"fly_100_plan_most", 200},
    StreamAim{"fly_100_wasted", 10},   StreamAim{"fly_100_late", 2},      StreamAim{"fly_1000_over_budget", 0},
    StreamAim{"turns_over_budget", 0},
};

}  // namespace

std::span<const StreamRow> stream_rows() {
    return kStreamRows;
}

std::optional<double> stream_aim(std::string_view figure) {
    for (const StreamAim& aim : kStreamAims) {
        if (aim.name == figure) return aim.most;
    }
    return std::nullopt;
}

}  // namespace quarry::app
