#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <quarry/terrain/collision_world.hpp>
#include <quarry/terrain/edit_world.hpp>
#include <quarry/terrain/edited_field.hpp>
#include <quarry/terrain/field.hpp>
#include <quarry/terrain/raycast.hpp>
#include <quarry/terrain/streamer.hpp>

#include "bench/stream_rows.hpp"

namespace quarry::app {
namespace {

using CollisionClock = std::chrono::steady_clock;

constexpr float kBodyDigRadius = 4;
constexpr double kCollisionHertz = 60;
constexpr double kBodySpeed = 10;  // units a second
constexpr double kCollisionBudgetMs = 1;

double percentile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(std::llround(share * static_cast<double>(values.size() - 1)))];
}

// A body that walks over ground that is streamed as well, in real time.
class Walk {
  public:
    explicit Walk(const StreamBench& bench)
        : ground_(bench.described.field),
          world_(ground_),
          streamer_(bench.pool, world_.field(), {.materials = bench.described.materials}),
          collision_(bench.pool, world_.field()) {
        do {
            frame();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } while (!streamer_.at_rest() || !collision_.at_rest());
        next_ = CollisionClock::now();
    }

    void wait_for_next_frame() {
        next_ +=
            std::chrono::duration_cast<CollisionClock::duration>(std::chrono::duration<double>(1 / kCollisionHertz));
        std::this_thread::sleep_until(next_);
        body_.x += kBodySpeed / kCollisionHertz;
        body_.y = terrain::highest_ground_below(*ground_, body_.x, 300, body_.z, {.reach = 600}).value_or(0);
    }
    void dig(std::uint32_t stroke) { dig(body_, stroke); }
    void dig(const terrain::Position& at, std::uint32_t stroke) {
        const terrain::EditReport report =
            world_.apply({.kind = terrain::EditKind::dig, .stroke = stroke, .at = at, .radius = kBodyDigRadius});
        if (!report.any()) return;
        streamer_.edit(world_.field(), report.changed);
        collision_.edit(world_.field(), report.changed);
    }
    // What a body needs comes first.
    void collide() {
        collision_.update({&body_, 1});
        collision_.inbox().deliver(std::chrono::duration<double, std::milli>(kCollisionBudgetMs),
                                   [](terrain::CollisionEvent& /*event*/) {});
    }
    void stream() {
        streamer_.update({.position = {body_.x, body_.y + 2, body_.z}, .direction = {1, 0, 0}});
        streamer_.inbox().deliver(std::chrono::milliseconds(2), [](terrain::StreamEvent& /*event*/) {});
    }
    void frame() {
        collide();
        stream();
    }
    // On the ground, so far from the body.
    terrain::Position beside(double along, double across) const {
        const double x = body_.x + along;
        const double z = body_.z + across;
        return {x, terrain::highest_ground_below(*ground_, x, 300, z, {.reach = 600}).value_or(0), z};
    }
    bool is_solid(const terrain::Position& at) const { return collision_.ready_around(at, kBodyDigRadius); }
    // Within reach of its feet, all in patches that were delivered.
    bool is_solid() const { return collision_.ready_around(body_, collision_.options().near); }
    terrain::CollisionStats stats() const { return collision_.stats(); }

  private:
    std::shared_ptr<const terrain::Field> ground_;
    terrain::EditWorld world_;
    terrain::Streamer streamer_;
    terrain::CollisionWorld collision_;
    terrain::Position body_{};
    CollisionClock::time_point next_;
};

// How many frames after that of the dig all patches around it have been delivered, with digs 16 to 48 units away from
// the body; the walk and its streaming go on.
std::vector<double> frames_of_far_digs(Walk& walk, int frames) {
    std::vector<double> counts;
    for (int i = 0; i < frames; ++i) {
        walk.wait_for_next_frame();
        if (i % 6 != 0) {
            walk.frame();
            continue;
        }
        const int number = i / 6;
        const terrain::Position at = walk.beside(16.0 + 8 * (number % 4), 12.0 * (number % 5 - 2));
        walk.dig(at, static_cast<std::uint32_t>(i) + 1'000'000);
        walk.frame();
        double count = 0;
        for (; !walk.is_solid(at); ++count, ++i) {
            walk.wait_for_next_frame();
            walk.frame();
        }
        counts.push_back(count);
    }
    return counts;
}

}  // namespace

std::vector<StreamFigure> measure_collision(const StreamBench& bench) {
    Walk walk(bench);
    std::vector<double> ms;
    double late = 0;
    const terrain::CollisionStats before = walk.stats();
    const auto frames = static_cast<int>(bench.seconds * kCollisionHertz);
    for (int i = 0; i < frames; ++i) {
        walk.wait_for_next_frame();
        if (i % 6 != 0) {
            walk.frame();
            continue;
        }
        const CollisionClock::time_point start = CollisionClock::now();
        walk.dig(static_cast<std::uint32_t>(i) + 1);
        walk.collide();
        if (!walk.is_solid()) ++late;
        while (!walk.is_solid()) {
            walk.stream();
            walk.wait_for_next_frame();
            walk.collide();
        }
        ms.push_back(std::chrono::duration<double, std::milli>(CollisionClock::now() - start).count());
        walk.stream();
    }
    const terrain::CollisionStats after = walk.stats();
    const std::vector<double> far = frames_of_far_digs(walk, frames / 2);
    const terrain::CollisionStats last = walk.stats();
    const double digs = std::max<double>(1, static_cast<double>(ms.size()));
    return {{"collision_p50", "ms", percentile(ms, 0.5)},
            {"collision_p99", "ms", percentile(ms, 0.99)},
            {"collision_late", "%", 100 * late / digs},
            {"collision_far_p50", "frames", percentile(far, 0.5)},
            {"collision_far_p99", "frames", percentile(far, 0.99)},
            {"collision_frames", "frames", static_cast<double>(last.longest_frames)},
            {"collision_rebuilt", "", static_cast<double>(after.rebuilt - before.rebuilt) / digs},
            {"collision_kept", "", static_cast<double>(after.unchanged - before.unchanged) / digs},
            {"collision_digs", "", static_cast<double>(ms.size())},
            {"collision_far_digs", "", static_cast<double>(far.size())}};
}

}  // namespace quarry::app
