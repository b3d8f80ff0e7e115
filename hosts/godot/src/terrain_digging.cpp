// How a QuarryTerrain's ground is changed, and asked.
#include <algorithm>
#include <cmath>
#include <exception>

#include "brush.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/raycast.hpp"
#include "registration.hpp"
#include "terrain_node.hpp"
#include "transform_math.hpp"

namespace quarry::godot {
namespace {

// What terrain::raycast takes.
constexpr double kShortestRay = 1e-6;
constexpr double kLongestRay = 1e6;

}  // namespace

bool TerrainNode::can_edit() const {
    if (world_ != nullptr && !needs_build_) return true;
    report_error("QuarryTerrain", "there is no ground to edit before terrain_ready");
    return false;
}

// Whatever has changed the ground here is told to others.
template <class Change>
terrain::EditReport TerrainNode::change(bool is_told, Change make) {
    if (!can_edit()) return {};
    try {
        const std::optional<terrain::EditReport> report = make();
        if (!report) return {};
        if (report->any()) {
            show_change(report->changed);
            if (is_heard("part_loosened")) edits_.look_for_loose_parts(report->changed);
        }
        if (is_told && report->done && is_heard("edit_made")) {
            Happened made{Happened::Kind::made};
            made.bytes = edits_.message_of(edits_.last());
            happened_.push_back(std::move(made));
        }
        return *report;
    } catch (const std::exception& error) {
        fail(error.what());
        return {};
    }
}

// A ball stays a ball where the node is scaled evenly.
bool TerrainNode::edit(terrain::Edit edit, const Vec3& position, double radius) {
    edit.at = to_local(position);
    edit.radius = static_cast<float>(radius / scale_of(transform_));
    return change(true, [&] { return std::optional(edits_.apply(edit)); }).any();
}

bool TerrainNode::edit_with(const Variant& brush) {
    return change(true, [&] { return std::optional(edits_.apply(edit_from(brush, transform_))); }).any();
}

bool TerrainNode::flatten(const Vec3& position, double radius, const Vec3& normal, double strength) {
    const terrain::Position local = vector_to_local(transform_, normal);
    return edit({.kind = terrain::EditKind::flatten,
                 .normal = {static_cast<float>(local.x), static_cast<float>(local.y), static_cast<float>(local.z)},
                 .strength = static_cast<float>(strength)},
                position, radius);
}

bool TerrainNode::raise(const Vec3& position, double radius, double amount) {
    return edit({.kind = terrain::EditKind::raise, .amount = static_cast<float>(amount / scale_of(transform_))},
                position, radius);
}

bool TerrainNode::remove_loose(const terrain::Position& inside) {
    return change(true, [&] { return std::optional(edits_.apply({.kind = terrain::EditKind::remove, .at = inside})); })
        .any();
}

bool TerrainNode::remove_part(const Vec3& position) {
    return remove_loose(to_local(position));
}

bool TerrainNode::apply_edit(const Variant& bytes) {
    const std::vector<std::byte> message = bytes.to_bytes();
    return change(false, [&] { return std::optional(edits_.apply_message(message)); }).any();
}

bool TerrainNode::take_back(bool again) {
    if (world_ == nullptr || needs_build_) return false;
    return change(true, [&] { return again ? edits_.redo() : edits_.undo(); }).done;
}

void TerrainNode::show_change(const terrain::Box& box) {
    const DescribedWorld now = edits_.now();
    field_ = now.field;
    if (now.materials != nullptr) {
        world_->streamer->edit(now.field, now.materials, box);
    } else {
        world_->streamer->edit(now.field, box);
    }
    collision_.edit(now.field, box);
}

// Nothing of what goes wrong is lost, and the same in the next frame is no news.
void TerrainNode::bring_from_file(std::span<const terrain::Viewer> viewers) {
    std::vector<terrain::Position> places;
    for (const terrain::Viewer& viewer : viewers) places.push_back(viewer.position);
    for (const terrain::Box& box : edits_.bring(places)) show_change(box);
    const std::optional<terrain::WorldFileStats> stats = edits_.file_stats();
    const std::string problem = stats ? stats->problem : std::string();
    if (problem != last_file_problem_ && !problem.empty()) fail(settings_.save_file + ": " + problem);
    last_file_problem_ = problem;
    // What was in the file when it was opened is no news.
    if (stats && last_saved_ && stats->saved > *last_saved_ && stats->saved == stats->edits) {
        happened_.push_back({Happened::Kind::saved});
    }
    last_saved_ = stats ? std::optional(stats->saved) : std::nullopt;
}

void TerrainNode::note_loose_parts() {
    for (const terrain::LoosePart& part : edits_.take_loose_parts()) {
        Happened loosened{Happened::Kind::loosened};
        loosened.box = to_global(transform_, part.box);
        loosened.place = to_global(transform_, part.inside);
        happened_.push_back(loosened);
    }
}

void TerrainNode::note_change(const terrain::Box& box) {
    if (!is_heard("edited")) return;
    Happened changed{Happened::Kind::changed};
    changed.box = to_global(transform_, box);
    happened_.push_back(changed);
}

const terrain::Field& TerrainNode::ground() {
    if (field_ == nullptr) {
        const DescribedWorld below = needs_build_ || !edits_.has_ground() ? described() : DescribedWorld{};
        field_ = below.field != nullptr ? within(below.limits, below.field) : edits_.now().field;
    }
    return *field_;
}

double TerrainNode::sample(const Vec3& position) {
    return ground().density_at(to_local(position));
}

Variant TerrainNode::raycast(const Vec3& from, const Vec3& direction, double reach) {
    Dictionary found;
    const double length = std::hypot(static_cast<double>(direction.x), direction.y, direction.z);
    if (!(length > 0) || !(reach > 0) || !std::isfinite(length * reach)) return Variant(found);
    const auto part = static_cast<float>(reach / length);
    const terrain::Position start = to_local(from);
    const terrain::Position end =
        to_local({from.x + direction.x * part, from.y + direction.y * part, from.z + direction.z * part});
    const terrain::Position way{end.x - start.x, end.y - start.y, end.z - start.z};
    const double local_reach = std::hypot(way.x, way.y, way.z);
    if (!(local_reach > kShortestRay)) return Variant(found);
    try {
        // There is no ground that can be told apart further away.
        const terrain::RayOptions options{.reach = std::min(local_reach, kLongestRay),
                                          .resolution = settings_.voxel_size / 4};
        const std::optional<terrain::RayHit> hit = terrain::raycast(ground(), start, way, options);
        if (!hit) return Variant(found);
        found.set("position", to_global(transform_, hit->position));
        found.set("distance", hit->distance / local_reach * reach);
    } catch (const std::exception& error) {
        fail(std::string("raycast: ") + error.what());
    }
    return Variant(found);
}

}  // namespace quarry::godot
