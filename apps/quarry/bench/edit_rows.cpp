#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <quarry/terrain/edit_world.hpp>
#include <quarry/terrain/edited_field.hpp>
#include <quarry/terrain/field.hpp>

#include "bench/edited_way.hpp"
#include "bench/stream_rows.hpp"
#include "tools/cpu_work.hpp"

namespace quarry::app {
namespace {

// A corner of eight chunks beside the way, next to the ground and not used before: a dig there touches all of them.
std::optional<terrain::Position> new_corner(const EditedWay& way, std::vector<terrain::Position>& used) {
    const double from = std::floor(way.viewer().position.x / kChunkWidth);
    for (int place = 0; place < 28; ++place) {
        const int row = place / 4;
        const double x = kChunkWidth * (from + place % 4);
        const double z = kChunkWidth * (row - 3);
        const double height = way.height_at(x, z);
        const terrain::Position corner{x, std::round(height / kChunkWidth) * kChunkWidth, z};
        if (std::abs(height - corner.y) > kEditRadius - 2) continue;
        if (std::find(used.begin(), used.end(), corner) != used.end()) continue;
        used.push_back(corner);
        return corner;
    }
    return std::nullopt;
}

std::vector<StreamFigure> measure_dig(const StreamBench& bench) {
    EditedWay way(bench, kEditBudgetMs / 1e3);
    std::vector<double> shown_ms;
    std::vector<terrain::Position> used;
    double late = 0;
    const std::uint64_t chunks = way.streamer().stats().edit_chunks;
    const auto frames = static_cast<int>(bench.seconds * kEditHertz);
    for (int i = 0; i < frames; ++i) {
        way.wait_for_next_frame();
        const std::optional<terrain::Position> corner = i % 6 == 0 ? new_corner(way, used) : std::nullopt;
        if (!corner) {
            way.frame();
            continue;
        }
        const EditClock::time_point start = EditClock::now();
        way.dig(*corner, static_cast<std::uint32_t>(i) + 1);
        bool is_shown = way.frame();
        if (!is_shown) ++late;
        while (!is_shown) {
            way.wait_for_next_frame();
            is_shown = way.frame();
        }
        shown_ms.push_back(edit_ms(EditClock::now() - start));
    }
    const double count = std::max<double>(1, static_cast<double>(shown_ms.size()));
    return {{"dig_p50", "ms", share_of(shown_ms, 0.5)},
            {"dig_p99", "ms", share_of(shown_ms, 0.99)},
            {"dig_late", "%", 100 * late / count},
            {"dig_chunks", "", static_cast<double>(way.streamer().stats().edit_chunks - chunks) / count},
            {"digs", "", static_cast<double>(shown_ms.size())}};
}

std::vector<StreamFigure> measure_strokes(const StreamBench& bench) {
    EditedWay way(bench, kStrokeWait);
    const StrokeTimes times = dig_strokes(
        bench, way, [&](std::chrono::nanoseconds start) { way.frame(start); }, [] {});
    const terrain::EditWorldStats stats = way.world().stats();
    const double samples = 4096.0 * static_cast<double>(std::max<std::size_t>(1, stats.bricks));
    return {{"strokes_over_budget", "frames", times.over},
            {"strokes_frame_p99", "ms", share_of(times.frame_ms, 0.99)},
            {"strokes_apply_p99", "ms", share_of(times.apply_ms, 0.99)},
            {"strokes_not_shown", "",
             static_cast<double>(times.made) - static_cast<double>(way.streamer().stats().edits_shown)},
            {"brick_bytes", "bytes", static_cast<double>(stats.brick_bytes) / samples}};
}

// Densities of a chunk that no edit touches, of a world with edits against the field alone.
std::vector<StreamFigure> measure_untouched(const StreamBench& bench) {
    terrain::EditWorld world(bench.described.field);
    for (int i = 0; i < 100; ++i) {
        world.apply({.kind = terrain::EditKind::dig, .at = {200.0 + 10 * i, 0, 0}, .radius = kEditRadius});
    }
    const auto edited = world.field();
    const terrain::SampleBlock block{.first = {0, -16, 0}, .nx = 33, .ny = 33, .nz = 33};
    std::vector<float> out(block.size());
    std::vector<double> ratios;
    for (int i = 0; i < 101; ++i) {
        const auto time_of = [&](const terrain::Field& field) {
            const std::chrono::nanoseconds start = thread_cpu_time();
            for (int n = 0; n < 5; ++n) field.sample(block, out.data());
            return static_cast<double>((thread_cpu_time() - start).count());
        };
        const double with_edits = time_of(*edited);
        ratios.push_back(with_edits / time_of(*bench.described.field));
    }
    return {{"untouched_times", "x", share_of(ratios, 0.5)}};
}

constexpr std::array kEditRows{
    StreamRow{"dig", "from the call of a dig of radius 8 at a corner of 8 chunks to what is shown, on the way", true,
              measure_dig},
    StreamRow{"strokes", "1,000 digs a second of radius 8 along strokes, budget 2 ms", true, measure_strokes},
    StreamRow{"collision",
              "from a dig of radius 4 under a body to all patches near it, and frames for one further away", true,
              measure_collision},
    StreamRow{"saved", "the same strokes, kept in a file as they are made", true, measure_saved_strokes},
    StreamRow{"open", "opening a file with 1,000,000 digs of radius 4 over 1 km^2; takes a minute to make", true,
              measure_open, true},
    StreamRow{"untouched", "densities where nothing is edited, against the field alone", false, measure_untouched},
};

struct EditAim {
    std::string_view name;
    double most;
};

constexpr std::array kEditAims{
    EditAim{"dig_p99", 2},          EditAim{"dig_late", 0},           EditAim{"strokes_over_budget", 0},
    EditAim{"brick_bytes", 3},      EditAim{"saved_over_budget", 0},  EditAim{"saved_lost", 0},
    EditAim{"open_near", 100},      EditAim{"collision_late", 0},     EditAim{"collision_far_p99", 3},
    EditAim{"collision_frames", 3}, EditAim{"untouched_times", 1.05},
};

}  // namespace

std::span<const StreamRow> edit_rows() {
    return kEditRows;
}

std::optional<double> edit_aim(std::string_view figure) {
    for (const EditAim& aim : kEditAims) {
        if (aim.name == figure) return aim.most;
    }
    return std::nullopt;
}

}  // namespace quarry::app
