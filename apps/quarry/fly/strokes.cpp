#include "fly/strokes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <quarry/jobs/error.hpp>
#include <quarry/terrain/edited_field.hpp>
#include <quarry/terrain/raycast.hpp>

#include "tools/input.hpp"

namespace quarry::app {
namespace {

constexpr double kDigAhead = 1.5;  // seconds
constexpr double kDigShare = 0.7;  // of each second
constexpr float kDigRadius = 4;    // world units

}  // namespace

Strokes::Strokes(Pool& pool, const FlyOptions& options)
    : options_(options), log_({.lattice = options.streamer.lattice}) {
    if (options.dig || !options.save.empty()) {
        world_.emplace(options.described.field, terrain::EditWorldOptions{.lattice = options.streamer.lattice});
    }
    if (options.dig) loose_.emplace(pool);
    if (!options.save.empty()) {
        try {
            file_.emplace(pool, *world_, options.save, terrain::WorldFileOptions{.ground = options.ground});
        } catch (const Error& error) {
            throw WrongInput(one_line(error.what()));
        }
        if (options.records && file_->stats().edits != 0) {
            throw WrongInput(
                fmt::format("--record goes with a new file for --save, since it logs what is done and not what was "
                            "there; {} has {} "
                            "edits",
                            in_quotes(options.save), file_->stats().edits));
        }
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

void Strokes::bring(terrain::Streamer& streamer, std::span<const terrain::Viewer> viewers, FlyOutcome& outcome) {
    if (loose_) take_loose(outcome);
    if (!file_) return;
    std::vector<terrain::Position> near;
    for (const terrain::Viewer& viewer : viewers) near.push_back(viewer.position);
    for (const terrain::Box& box : file_->update(near)) {
        streamer.edit(world_->field(), box);
        waiting_.push_back({.at = {}, .frame = 0, .is_from_file = true});
    }
}

bool Strokes::is_complete() const {
    if (!file_) return true;
    const terrain::WorldFileStats stats = file_->stats();
    return stats.is_loaded || !stats.problem.empty();
}

void Strokes::make(terrain::Streamer& streamer, double seconds, std::size_t frame, FlyOutcome& outcome) {
    if (!options_.dig || seconds - std::floor(seconds) > kDigShare) return;
    const terrain::Position over = options_.path.at(seconds + kDigAhead).position;
    const std::optional<double> ground =
        terrain::highest_ground_below(*options_.described.field, over.x, over.y, over.z);
    if (!ground) return;
    apply({.kind = terrain::EditKind::dig,
           .stroke = static_cast<std::uint32_t>(seconds) + 1,
           .at = {over.x, *ground, over.z},
           .radius = kDigRadius},
          streamer, frame, outcome);
}

void Strokes::apply(const terrain::Edit& edit, terrain::Streamer& streamer, std::size_t frame, FlyOutcome& outcome) {
    const Made made{.at = std::chrono::steady_clock::now(), .frame = frame, .is_from_file = false};
    const terrain::EditReport report = world_->apply(edit);
    if (options_.records) log_.write(edit);
    outcome.brick_bytes = world_->stats().brick_bytes;
    ++outcome.edits_made;
    if (!report.any()) return;
    const std::shared_ptr<const terrain::EditedField> ground = world_->field();
    streamer.edit(ground, report.changed);
    if (loose_) loose_->look(ground, report.changed);
    waiting_.push_back(made);
}

void Strokes::repeat(terrain::Streamer& streamer, std::span<const std::byte> edits, std::size_t frame,
                     FlyOutcome& outcome) {
    log_.feed(edits);
    while (const std::optional<terrain::NumberedEdit> next = log_.next()) {
        if (!world_) throw Error("there is an edit, and no ground for it");
        apply(next->edit, streamer, frame, outcome);
    }
}

void Strokes::take_loose(FlyOutcome& outcome) {
    for (const terrain::LoosePart& part : loose_->take()) {
        ++outcome.loose_parts;
        outcome.loose_samples += part.samples;
    }
}

void Strokes::note(const terrain::StreamEvent& event, std::size_t frame, FlyOutcome& outcome) {
    if (event.kind != terrain::StreamEvent::Kind::changed) return;
    const auto now = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < event.edits && !waiting_.empty(); ++i) {
        const Made made = waiting_.front();
        waiting_.pop_front();
        if (made.is_from_file) continue;
        outcome.edits.push_back({std::chrono::duration<double, std::milli>(now - made.at).count(),
                                 static_cast<double>(frame - made.frame)});
    }
}

void Strokes::finish(FlyOutcome& outcome) {
    if (loose_) {
        for (; loose_->is_busy(); std::this_thread::sleep_for(std::chrono::microseconds(200))) take_loose(outcome);
        take_loose(outcome);
    }
    if (!world_) return;
    outcome.world_hash = world_->content_hash();
    outcome.brick_bytes = world_->stats().brick_bytes;
    if (!file_) return;
    file_->save();
    outcome.file = file_->stats();
}

}  // namespace quarry::app
