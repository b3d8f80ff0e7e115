#include "fly/strokes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <quarry/terrain/edited_field.hpp>
#include <quarry/terrain/raycast.hpp>

namespace quarry::app {
namespace {

constexpr double kDigAhead = 1.5;  // seconds
constexpr double kDigShare = 0.7;  // of each second
constexpr float kDigRadius = 4;    // world units

}  // namespace

Strokes::Strokes(const FlyOptions& options) : options_(options) {
    if (options.dig) {
        world_.emplace(options.described.field, terrain::EditWorldOptions{.lattice = options.streamer.lattice});
    }
}

std::shared_ptr<const terrain::Field> Strokes::field() {
    if (world_) return world_->field();
    return options_.described.field;
}

terrain::StreamerOptions Strokes::streamer_options() const {
    terrain::StreamerOptions options = options_.streamer;
    if (world_) options.edit_wait = std::min(options.edit_wait, options_.budget_ms / 2e3);
    return options;
}

void Strokes::make(terrain::Streamer& streamer, double seconds, std::size_t frame, FlyOutcome& outcome) {
    if (!world_ || seconds - std::floor(seconds) > kDigShare) return;
    const terrain::Position over = options_.path.at(seconds + kDigAhead).position;
    const std::optional<double> ground =
        terrain::highest_ground_below(*options_.described.field, over.x, over.y, over.z);
    if (!ground) return;
    const Made made{std::chrono::steady_clock::now(), frame};
    const terrain::EditReport report = world_->apply({.kind = terrain::EditKind::dig,
                                                      .stroke = static_cast<std::uint32_t>(seconds) + 1,
                                                      .at = {over.x, *ground, over.z},
                                                      .radius = kDigRadius});
    outcome.brick_bytes = world_->stats().brick_bytes;
    if (!report.any()) return;
    streamer.edit(world_->field(), report.changed);
    waiting_.push_back(made);
}

void Strokes::note(const terrain::StreamEvent& event, std::size_t frame, FlyOutcome& outcome) {
    if (event.kind != terrain::StreamEvent::Kind::changed) return;
    const auto now = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < event.edits && !waiting_.empty(); ++i) {
        const Made made = waiting_.front();
        waiting_.pop_front();
        outcome.edits.push_back({std::chrono::duration<double, std::milli>(now - made.at).count(),
                                 static_cast<double>(frame - made.frame)});
    }
}

}  // namespace quarry::app
