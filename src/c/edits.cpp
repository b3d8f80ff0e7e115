#include "c/edits.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "c/error.hpp"
#include "c/structs.hpp"
#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/edited_field.hpp"
#include "quarry/terrain/edited_materials.hpp"
#include "quarry/terrain/materials.hpp"

using quarry::terrain::BrushShape;
using quarry::terrain::Edit;
using quarry::terrain::EditKind;
using quarry::terrain::EditReport;
using quarry::terrain::EditWorld;
using quarry::terrain::EditWorldOptions;
using quarry::terrain::EditWorldStats;
using quarry::terrain::LayeredMaterials;

namespace {

using quarry::c::give;
using quarry::c::guarded;
using quarry::c::known;
using quarry::c::made;
using quarry::c::need_all;

template <class Enum>
Enum one_of(int value, int last, const char* what) {
    if (value < 0 || value > last)
        throw std::invalid_argument(std::string(what) + " must be 0 to " + std::to_string(last));
    return static_cast<Enum>(value);
}

template <class Number>
Number within(std::uint32_t value, const char* what) {
    if (value > std::numeric_limits<Number>::max()) {
        throw std::invalid_argument(std::string(what) + " must be at most " +
                                    std::to_string(std::numeric_limits<Number>::max()));
    }
    return static_cast<Number>(value);
}

Edit from_c(const quarry_edit& given) {
    quarry_edit defaults{};
    quarry_edit_init(&defaults);
    const quarry_edit edit = known(given, "quarry_edit", defaults);
    Edit made_edit;
    made_edit.kind = one_of<EditKind>(edit.kind, QUARRY_EDIT_REMOVE, "the kind of an edit");
    made_edit.shape = one_of<BrushShape>(edit.shape, QUARRY_BRUSH_STAMP, "the shape of a brush");
    made_edit.material = within<std::uint8_t>(static_cast<std::uint32_t>(edit.material), "a material");
    made_edit.stamp = within<std::uint16_t>(edit.stamp, "a stamp");
    made_edit.editor = within<std::uint16_t>(edit.editor, "an editor");
    made_edit.stroke = edit.stroke;
    made_edit.at = {edit.x, edit.y, edit.z};
    made_edit.extent = {edit.extent_x, edit.extent_y, edit.extent_z};
    made_edit.normal = {edit.normal_x, edit.normal_y, edit.normal_z};
    made_edit.radius = edit.radius;
    made_edit.strength = edit.strength;
    made_edit.falloff = edit.falloff;
    made_edit.amount = edit.amount;
    return made_edit;
}

quarry_edit to_c(const Edit& edit) {
    quarry_edit all{};
    all.kind = static_cast<int>(edit.kind);
    all.shape = static_cast<int>(edit.shape);
    all.material = edit.material;
    all.stamp = edit.stamp;
    all.editor = edit.editor;
    all.stroke = edit.stroke;
    all.x = edit.at.x;
    all.y = edit.at.y;
    all.z = edit.at.z;
    all.extent_x = edit.extent.x;
    all.extent_y = edit.extent.y;
    all.extent_z = edit.extent.z;
    all.normal_x = edit.normal.x;
    all.normal_y = edit.normal.y;
    all.normal_z = edit.normal.z;
    all.radius = edit.radius;
    all.strength = edit.strength;
    all.falloff = edit.falloff;
    all.amount = edit.amount;
    return all;
}

quarry_edit_report to_c(const EditReport& report) {
    quarry_edit_report all{};
    all.done = report.done ? 1 : 0;
    all.samples = report.samples;
    all.painted = report.painted;
    if (!report.any()) return all;
    all.low_x = report.changed.low.x;
    all.low_y = report.changed.low.y;
    all.low_z = report.changed.low.z;
    all.high_x = report.changed.high.x;
    all.high_y = report.changed.high.y;
    all.high_z = report.changed.high.z;
    return all;
}

using StrokeOf = std::optional<Edit> (EditWorld::*)(std::uint16_t) const;

quarry_code last_stroke(const quarry_edits* edits, std::uint32_t editor, quarry_edit* edit, StrokeOf stroke_of) {
    return guarded([&] {
        need_all(edits, edit);
        known(*edit, "quarry_edit");
        const std::optional<Edit> found = ((*edits->world).*stroke_of)(within<std::uint16_t>(editor, "an editor"));
        if (!found) return QUARRY_NONE;
        give(to_c(*found), edit, "quarry_edit");
        return QUARRY_OK;
    });
}

}  // namespace

void quarry_edit_init(quarry_edit* edit) {
    if (edit == nullptr) return;
    *edit = to_c(Edit{});
    edit->size = sizeof *edit;
}

quarry_edits* quarry_edits_new(const quarry_field* field, double voxel_size, uint64_t undo_bytes) {
    return made([&] {
        need_all(field);
        EditWorldOptions options;
        options.lattice.voxel_size = voxel_size;
        if (undo_bytes != 0) options.undo_bytes = undo_bytes;
        return new quarry_edits{std::make_shared<EditWorld>(field->field, options), field->materials};
    });
}

void quarry_edits_free(quarry_edits* edits) {
    delete edits;
}

quarry_code quarry_edits_apply(quarry_edits* edits, const quarry_edit* edit, quarry_edit_report* report) {
    return guarded([&] {
        need_all(edits, edit);
        if (report != nullptr) known(*report, "quarry_edit_report");
        const EditReport outcome = edits->world->apply(from_c(*edit));
        if (report != nullptr) give(to_c(outcome), report, "quarry_edit_report");
        return QUARRY_OK;
    });
}

quarry_code quarry_edits_undo_of(const quarry_edits* edits, uint32_t editor, quarry_edit* edit) {
    return last_stroke(edits, editor, edit, &EditWorld::undo_of);
}

quarry_code quarry_edits_redo_of(const quarry_edits* edits, uint32_t editor, quarry_edit* edit) {
    return last_stroke(edits, editor, edit, &EditWorld::redo_of);
}

int quarry_edits_add_stamp(quarry_edits* edits, const quarry_field* stamp, double radius) {
    int number = -1;
    guarded([&] {
        need_all(edits, stamp);
        number = edits->world->add_stamp(stamp->field, radius);
        return QUARRY_OK;
    });
    return number;
}

quarry_field* quarry_edits_field(quarry_edits* edits) {
    return made([&] {
        need_all(edits);
        // Paint shows also where the ground itself has no materials: over the first of them.
        auto below = edits->materials;
        if (below == nullptr && edits->world->stats().paint_bricks != 0) {
            below = std::make_shared<LayeredMaterials>(0);
        }
        auto materials = below == nullptr ? nullptr : edits->world->materials(below);
        return new quarry_field{edits->world->field(), std::move(materials)};
    });
}

quarry_code quarry_edits_get_stats(const quarry_edits* edits, quarry_edits_stats* stats) {
    return guarded([&] {
        need_all(edits, stats);
        const EditWorldStats now = edits->world->stats();
        quarry_edits_stats all{};
        all.applied = now.applied;
        all.bricks = now.bricks;
        all.paint_bricks = now.paint_bricks;
        all.brick_bytes = now.brick_bytes;
        all.undo_bytes = now.undo_bytes;
        all.strokes = now.strokes;
        give(all, stats, "quarry_edits_stats");
        return QUARRY_OK;
    });
}

uint64_t quarry_edits_hash(const quarry_edits* edits) {
    return edits == nullptr ? 0 : edits->world->content_hash();
}
