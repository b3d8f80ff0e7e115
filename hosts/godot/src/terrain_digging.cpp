// How a QuarryTerrain's ground is changed, and asked.
#include <cmath>
#include <exception>

#include "quarry/terrain/field.hpp"
#include "quarry/terrain/raycast.hpp"
#include "registration.hpp"
#include "terrain_node.hpp"

namespace quarry::godot {
namespace {

double determinant(const Transform& transform) {
    const auto& [a, b, c] = transform.rows;
    return static_cast<double>(a.x) * (static_cast<double>(b.y) * c.z - static_cast<double>(b.z) * c.y) -
           static_cast<double>(a.y) * (static_cast<double>(b.x) * c.z - static_cast<double>(b.z) * c.x) +
           static_cast<double>(a.z) * (static_cast<double>(b.x) * c.y - static_cast<double>(b.y) * c.x);
}

Vec3 to_global(const Transform& transform, const terrain::Position& local) {
    const auto along = [&](const Vec3& row, float origin) {
        return static_cast<float>(row.x * local.x + row.y * local.y + row.z * local.z + origin);
    };
    return {along(transform.rows[0], transform.origin.x), along(transform.rows[1], transform.origin.y),
            along(transform.rows[2], transform.origin.z)};
}

}  // namespace

// A ball stays a ball where the node is scaled evenly.
bool TerrainNode::edit(terrain::Edit edit, const Vec3& position, double radius) {
    if (world_ == nullptr || needs_build_) {
        report_error("QuarryTerrain", "there is no ground to edit before terrain_ready");
        return false;
    }
    const double scale = std::cbrt(std::abs(determinant(transform_)));
    edit.at = to_local(position);
    edit.radius = static_cast<float>(scale > 0 ? radius / scale : radius);
    try {
        const terrain::EditReport report = edits_.apply(edit);
        if (report.any()) show_change(report.changed);
        return report.any();
    } catch (const std::exception& error) {
        fail(error.what());
        return false;
    }
}

bool TerrainNode::take_back(bool again) {
    if (world_ == nullptr || needs_build_) return false;
    const std::optional<terrain::EditReport> report = again ? edits_.redo() : edits_.undo();
    if (report && report->any()) show_change(report->changed);
    return report.has_value();
}

void TerrainNode::show_change(const terrain::Box& box) {
    const DescribedWorld now = edits_.now();
    field_ = now.field;
    if (now.materials != nullptr) {
        world_->streamer->edit(now.field, now.materials, box);
    } else {
        world_->streamer->edit(now.field, box);
    }
}

// Nothing of what goes wrong is lost, and the same in the next frame is no news.
void TerrainNode::bring_from_file(const terrain::Position& viewer) {
    for (const terrain::Box& box : edits_.bring(viewer)) show_change(box);
    const std::optional<terrain::WorldFileStats> stats = edits_.file_stats();
    const std::string problem = stats ? stats->problem : std::string();
    if (problem != last_file_problem_ && !problem.empty()) fail(settings_.save_file + ": " + problem);
    last_file_problem_ = problem;
}

void TerrainNode::note_change(const terrain::Box& box) {
    if (!is_heard("ground_changed")) return;
    Vec3 low{INFINITY, INFINITY, INFINITY};
    Vec3 high{-INFINITY, -INFINITY, -INFINITY};
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 at = to_global(
            transform_, {(corner & 1) != 0 ? box.high.x : box.low.x, (corner & 2) != 0 ? box.high.y : box.low.y,
                         (corner & 4) != 0 ? box.high.z : box.low.z});
        low = {std::fmin(low.x, at.x), std::fmin(low.y, at.y), std::fmin(low.z, at.z)};
        high = {std::fmax(high.x, at.x), std::fmax(high.y, at.y), std::fmax(high.z, at.z)};
    }
    Happened changed{Happened::Kind::changed};
    changed.box = {low, {high.x - low.x, high.y - low.y, high.z - low.z}};
    happened_.push_back(changed);
}

const terrain::Field& TerrainNode::ground() {
    if (field_ == nullptr) {
        field_ = needs_build_ || !edits_.has_ground() ? described().field : edits_.now().field;
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
    const std::optional<terrain::RayHit> hit =
        terrain::raycast(ground(), start, way, {.reach = local_reach, .resolution = settings_.voxel_size / 4});
    if (!hit) return Variant(found);
    found.set("position", to_global(transform_, hit->position));
    found.set("distance", hit->distance / local_reach * reach);
    return Variant(found);
}

}  // namespace quarry::godot
