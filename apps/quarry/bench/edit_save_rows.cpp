#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <quarry/terrain/edit_world.hpp>
#include <quarry/terrain/edited_field.hpp>
#include <quarry/terrain/streamer.hpp>
#include <quarry/terrain/world_file.hpp>
#include <unistd.h>

#include "bench/edited_way.hpp"
#include "bench/stream_rows.hpp"
#include "tools/cpu_work.hpp"

namespace quarry::app {
namespace {

// A folder that is gone afterwards.
class BenchFolder {
  public:
    BenchFolder()
        : folder_(std::filesystem::temp_directory_path() / ("quarry_bench_edit_" + std::to_string(getpid()))) {
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
    }
    BenchFolder(const BenchFolder&) = delete;
    BenchFolder& operator=(const BenchFolder&) = delete;
    ~BenchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    std::filesystem::path file() const { return folder_ / "world.db"; }
    // Of the file and what SQLite keeps beside it.
    double bytes() const {
        double sum = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
            sum += static_cast<double>(entry.file_size());
        }
        return sum;
    }

  private:
    std::filesystem::path folder_;
};

constexpr int kManyEdits = 1'000'000;
constexpr float kSmallRadius = 4;
constexpr double kSide = 1'000;  // of the ground that is dug
constexpr int kOpenings = 5;
constexpr double kRing = 32;  // around the viewer

// As many edits over the ground, in no order.
void make_many_edits(const StreamBench& bench, const std::filesystem::path& path) {
    terrain::EditWorld world(bench.described.field);
    terrain::WorldFile file(bench.pool, world, path);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> along(-kSide / 2, kSide / 2);
    for (int i = 0; i < kManyEdits; ++i) {
        const double x = along(random);
        const double z = along(random);
        const double y = terrain::highest_ground_below(*bench.described.field, x, 300, z, {.reach = 600}).value_or(0);
        world.apply({.kind = terrain::EditKind::dig,
                     .stroke = static_cast<std::uint32_t>(i / 500) + 1,
                     .at = {x, y, z},
                     .radius = kSmallRadius});
        if (i % 1'000 == 0) file.update({});
    }
    if (!file.save())
        throw std::runtime_error("the edits of the benchmark could not be saved: " + file.stats().problem);
}

struct Opened {
    double file_ms = 0;  // until the file is open
    double near_ms = 0;  // until the chunks around the viewer are shown as they were dug
    double all_ms = 0;   // until all edits are in memory
};

Opened open_many_edits(const StreamBench& bench, const std::filesystem::path& path) {
    const terrain::Field& ground = *bench.described.field;
    const double height = terrain::highest_ground_below(ground, 0, 300, 0, {.reach = 600}).value_or(0);
    const terrain::Position at{0, height, 0};
    const auto start = EditClock::now();
    Opened opened;
    terrain::EditWorld world(bench.described.field);
    terrain::WorldFile file(bench.pool, world, path);
    opened.file_ms = edit_ms(EditClock::now() - start);
    // All that chunks of this ring look at.
    const double reach = 2.5 * kRing;
    file.load({{at.x - reach, at.y - reach, at.z - reach}, {at.x + reach, at.y + reach, at.z + reach}});
    if (world.stats().bricks == 0) throw std::runtime_error("the file of the benchmark has no edits around the viewer");
    terrain::Streamer streamer(bench.pool, world.field(), {.materials = bench.described.materials});
    while (!streamer.ready_around(at, kRing)) {
        streamer.update({.position = at, .direction = {1, 0, 0}});
        streamer.inbox().deliver(DeliveryBudget::everything(), [](terrain::StreamEvent&) {});
        std::this_thread::yield();
    }
    opened.near_ms = edit_ms(EditClock::now() - start);
    while (!file.stats().is_loaded) {
        file.update(std::array{at});
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    opened.all_ms = edit_ms(EditClock::now() - start);
    return opened;
}

}  // namespace

// The host's part of saving, which is to hand out jobs, belongs to the frame.
std::vector<StreamFigure> measure_saved_strokes(const StreamBench& bench) {
    const BenchFolder folder;
    EditedWay way(bench, kStrokeWait);
    terrain::WorldFile file(bench.pool, way.world(), folder.file());
    std::vector<double> behind;  // edits that are not reported as saved
    const auto frame = [&](std::chrono::nanoseconds start) {
        file.update(std::array{way.viewer().position});
        way.frame(start);
    };
    const auto after = [&] {
        const terrain::WorldFileStats stats = file.stats();
        behind.push_back(static_cast<double>(stats.edits - stats.saved));
    };
    const StrokeTimes times = dig_strokes(bench, way, frame, after);
    const bool is_saved = file.save();
    const terrain::WorldFileStats stats = file.stats();
    return {{"saved_over_budget", "frames", times.over},
            {"saved_frame_p99", "ms", share_of(times.frame_ms, 0.99)},
            {"saved_apply_p99", "ms", share_of(times.apply_ms, 0.99)},
            {"saved_behind", "edits", share_of(behind, 0.99)},
            {"saved_lost", "edits",
             is_saved ? static_cast<double>(times.made - stats.saved) : static_cast<double>(times.made)},
            {"saved_bytes", "bytes", folder.bytes() / static_cast<double>(std::max<std::uint64_t>(1, times.made))}};
}

std::vector<StreamFigure> measure_open(const StreamBench& bench) {
    const BenchFolder folder;
    const auto start = EditClock::now();
    make_many_edits(bench, folder.file());
    const double make_s = edit_ms(EditClock::now() - start) / 1e3;
    std::vector<double> file_ms;
    std::vector<double> near_ms;
    std::vector<double> all_ms;
    for (int i = 0; i < kOpenings; ++i) {
        const Opened opened = open_many_edits(bench, folder.file());
        file_ms.push_back(opened.file_ms);
        near_ms.push_back(opened.near_ms);
        all_ms.push_back(opened.all_ms);
    }
    return {{"open_near", "ms", share_of(near_ms, 0.5)}, {"open_near_most", "ms", share_of(near_ms, 1)},
            {"open_file", "ms", share_of(file_ms, 0.5)}, {"open_all", "ms", share_of(all_ms, 0.5)},
            {"open_bytes", "MB", folder.bytes() / 1e6},  {"open_make", "s", make_s}};
}

}  // namespace quarry::app
