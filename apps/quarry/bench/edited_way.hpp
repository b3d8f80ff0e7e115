#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <quarry/terrain/edit_world.hpp>
#include <quarry/terrain/edited_field.hpp>
#include <quarry/terrain/field.hpp>
#include <quarry/terrain/raycast.hpp>
#include <quarry/terrain/streamer.hpp>

#include "bench/stream_rows.hpp"
#include "tools/cpu_work.hpp"

namespace quarry::app {

using EditClock = std::chrono::steady_clock;

inline constexpr float kEditRadius = 8;
inline constexpr double kEditHertz = 60;
inline constexpr double kEditSpeed = 30;   // of the viewer, units a second
inline constexpr double kEditHeight = 20;  // above the ground
inline constexpr double kChunkWidth = 32;  // of LOD 0
inline constexpr double kEditsASecond = 1'000;
inline constexpr double kEditBudgetMs = 2;
// How long an update of a frame with strokes waits for their chunks at most: applying them and hand-overs need the
// rest.
inline constexpr double kStrokeWait = kEditBudgetMs / 4e3;

inline double edit_ms(EditClock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

inline double share_of(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(std::llround(share * static_cast<double>(values.size() - 1)))];
}

// A viewer on its way over ground that is edited, in real time.
class EditedWay {
  public:
    EditedWay(const StreamBench& bench, double edit_wait)
        : ground_(bench.described.field),
          world_(ground_),
          streamer_(bench.pool, world_.field(), options_for(bench, edit_wait)) {
        // A streamer that has seen no viewer is at rest: the first frame asks for the ground.
        do {
            frame();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } while (!streamer_.at_rest());
        next_ = EditClock::now();
    }

    double height_at(double x, double z) const {
        return terrain::highest_ground_below(*ground_, x, 300, z, {.reach = 600}).value_or(0);
    }
    void wait_for_next_frame() {
        next_ += std::chrono::duration_cast<EditClock::duration>(std::chrono::duration<double>(1 / kEditHertz));
        std::this_thread::sleep_until(next_);
        viewer_.position.x += kEditSpeed / kEditHertz;
        viewer_.position.y = height_at(viewer_.position.x, viewer_.position.z) + kEditHeight;
    }
    void dig(const terrain::Position& at, std::uint32_t stroke) {
        const terrain::EditReport report =
            world_.apply({.kind = terrain::EditKind::dig, .stroke = stroke, .at = at, .radius = kEditRadius});
        if (report.any()) streamer_.edit(world_.field(), report.changed);
    }
    // Whether an edit was shown. `since`: from when on the thread's time counts for the hand-over's budget.
    bool frame() { return frame(thread_cpu_time()); }
    bool frame(std::chrono::nanoseconds since) {
        bool has_changed = false;
        streamer_.update(viewer_);
        const double left_ms = kEditBudgetMs - edit_ms(thread_cpu_time() - since);
        streamer_.inbox().deliver(std::chrono::duration<double, std::milli>(std::max(left_ms, 0.0)),
                                  [&](terrain::StreamEvent& event) {
                                      has_changed = has_changed || event.kind == terrain::StreamEvent::Kind::changed;
                                  });
        return has_changed;
    }

    const terrain::Viewer& viewer() const { return viewer_; }
    terrain::EditWorld& world() { return world_; }
    terrain::Streamer& streamer() { return streamer_; }

  private:
    static terrain::StreamerOptions options_for(const StreamBench& bench, double edit_wait) {
        terrain::StreamerOptions options;
        options.edit_wait = edit_wait;
        options.materials = bench.described.materials;
        return options;
    }

    std::shared_ptr<const terrain::Field> ground_;
    terrain::EditWorld world_;
    terrain::Streamer streamer_;
    terrain::Viewer viewer_{.position = {0, kEditHeight, 0}, .direction = {1, 0, 0}};
    EditClock::time_point next_;
};

// Where the edits of a frame are that bring the number of edits to where it should be by then.
inline std::vector<terrain::Position> stroke_places(const EditedWay& way, std::uint64_t made, int frame) {
    std::vector<terrain::Position> places;
    for (auto next = made; static_cast<double>(next) < frame * kEditsASecond / kEditHertz; ++next) {
        const double x = way.viewer().position.x + 40 * (static_cast<double>(next % 500) / 500);
        const double z = 30 * std::sin(static_cast<double>(next) / 200);
        places.push_back({x, way.height_at(x, z), z});
    }
    return places;
}

// What 1,000 digs a second cost the host's thread, frame by frame.
struct StrokeTimes {
    std::vector<double> apply_ms;
    std::vector<double> frame_ms;  // apply included
    double over = 0;               // frames beyond the budget
    std::uint64_t made = 0;
};

// Digs and calls frame(start) within the budget, and after() beside it. A stroke takes half a second.
template <class Frame, class After>
StrokeTimes dig_strokes(const StreamBench& bench, EditedWay& way, Frame frame, After after) {
    StrokeTimes times;
    const auto frames = static_cast<int>(bench.seconds * kEditHertz);
    for (int i = 1; i <= frames; ++i) {
        way.wait_for_next_frame();
        const std::vector<terrain::Position> places = stroke_places(way, times.made, i);
        const std::chrono::nanoseconds start = thread_cpu_time();
        for (const terrain::Position& at : places) way.dig(at, static_cast<std::uint32_t>(times.made++ / 500) + 1);
        const std::chrono::nanoseconds applied = thread_cpu_time();
        frame(start);
        const std::chrono::nanoseconds end = thread_cpu_time();
        times.apply_ms.push_back(edit_ms(applied - start));
        times.frame_ms.push_back(edit_ms(end - start));
        if (times.frame_ms.back() > kEditBudgetMs) ++times.over;
        after();
    }
    return times;
}

}  // namespace quarry::app
