#include <cmath>
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>
#include <quarry/c.h>

#include "tests/c/edits_support.hpp"

// Edits through the C API.
namespace {

TEST(CApi, GroundIsDugUndoneAndRedoneAndAnEarlierViewStaysAsItWas) {
    quarry_field* ground =
        quarry_field_from_json(R"({"field": {"type": "sphere", "centre": [0, 0, 0], "radius": 20}})", nullptr);
    ASSERT_NE(ground, nullptr) << quarry_last_error();
    quarry_edits* edits = quarry_edits_new(ground, 1, 0);
    ASSERT_NE(edits, nullptr) << quarry_last_error();
    quarry_field_free(ground);
    const std::uint64_t untouched = quarry_edits_hash(edits);
    quarry_field* before = quarry_edits_field(edits);

    quarry_edit dig = edit_of(QUARRY_EDIT_DIG, 0, 0, 0, 5);
    dig.stroke = 7;
    quarry_edit_report report{};
    report.size = sizeof report;
    ASSERT_EQ(quarry_edits_apply(edits, &dig, &report), QUARRY_OK) << quarry_last_error();
    EXPECT_EQ(report.done, 1);
    EXPECT_GT(report.samples, 500U);
    EXPECT_LE(report.low_x, -4);
    EXPECT_GE(report.high_z, 4);
    quarry_field* after = quarry_edits_field(edits);
    EXPECT_LT(density_at(before, 0, 0, 0), 0);
    EXPECT_GT(density_at(after, 0, 0, 0), 0);
    EXPECT_NE(quarry_edits_hash(edits), untouched);

    quarry_edit undo{};
    undo.size = sizeof undo;
    ASSERT_EQ(quarry_edits_undo_of(edits, 0, &undo), QUARRY_OK);
    EXPECT_EQ(undo.kind, QUARRY_EDIT_UNDO);
    EXPECT_EQ(undo.stroke, 7U);
    EXPECT_EQ(quarry_edits_redo_of(edits, 0, &undo), QUARRY_NONE);
    ASSERT_EQ(quarry_edits_apply(edits, &undo, nullptr), QUARRY_OK);
    EXPECT_EQ(quarry_edits_hash(edits), untouched);
    ASSERT_EQ(quarry_edits_redo_of(edits, 0, &undo), QUARRY_OK);
    ASSERT_EQ(quarry_edits_apply(edits, &undo, &report), QUARRY_OK);
    EXPECT_EQ(report.done, 1);
    quarry_edits_stats stats{};
    stats.size = sizeof stats;
    ASSERT_EQ(quarry_edits_get_stats(edits, &stats), QUARRY_OK);
    EXPECT_EQ(stats.applied, 3U);
    EXPECT_EQ(stats.strokes, 1U);
    EXPECT_GT(stats.bricks, 0U);
    quarry_field_free(before);
    quarry_field_free(after);
    quarry_edits_free(edits);
}

TEST(CApi, PaintShowsInTheMeshAlsoWhereTheGroundHasNoMaterials) {
    quarry_field* ground =
        quarry_field_from_json(R"({"field": {"type": "sphere", "centre": [16, 16, 16], "radius": 10}})", nullptr);
    quarry_edits* edits = quarry_edits_new(ground, 1, 0);
    ASSERT_NE(edits, nullptr) << quarry_last_error();
    quarry_edit paint = edit_of(QUARRY_EDIT_PAINT, 16, 26, 16, 8);
    paint.material = 2;
    ASSERT_EQ(quarry_edits_apply(edits, &paint, nullptr), QUARRY_OK) << quarry_last_error();
    quarry_field* painted = quarry_edits_field(edits);
    quarry_chunk* chunk = quarry_extract(painted, {0, 0, 0, 0}, 32, 1);
    quarry_mesh* mesh = quarry_bake(chunk, 0);
    ASSERT_NE(mesh, nullptr) << quarry_last_error();
    quarry_mesh_view view{};
    ASSERT_EQ(quarry_mesh_get(mesh, &view), QUARRY_OK);
    ASSERT_NE(view.materials, nullptr);
    std::size_t second = 0;
    std::size_t none = 0;
    for (std::size_t i = 0; i < view.vertices; ++i) {
        if (view.materials[4 * i + 2] == 255) ++second;
        if (view.materials[4 * i] == 255) ++none;
    }
    EXPECT_GT(second, 50U);
    EXPECT_GT(none, 50U);
    quarry_mesh_free(mesh);
    quarry_chunk_free(chunk);
    quarry_field_free(painted);
    quarry_edits_free(edits);
    quarry_field_free(ground);
}

TEST(CApi, StampsAreBrushes) {
    quarry_field* ground = quarry_field_noise(1, 4, 0.02, 32);
    quarry_field* ball =
        quarry_field_from_json(R"({"field": {"type": "sphere", "centre": [0, 0, 0], "radius": 4}})", nullptr);
    quarry_edits* edits = quarry_edits_new(ground, 1, 0);
    const int stamp = quarry_edits_add_stamp(edits, ball, 5);
    ASSERT_EQ(stamp, 0) << quarry_last_error();
    EXPECT_EQ(quarry_edits_add_stamp(edits, ball, -1), -1);
    quarry_edit add = edit_of(QUARRY_EDIT_ADD, 0, 200, 0, 5);
    add.shape = QUARRY_BRUSH_STAMP;
    add.stamp = static_cast<std::uint32_t>(stamp);
    ASSERT_EQ(quarry_edits_apply(edits, &add, nullptr), QUARRY_OK) << quarry_last_error();
    quarry_field* now = quarry_edits_field(edits);
    EXPECT_LT(density_at(now, 0, 200, 0), 0);
    EXPECT_GT(density_at(now, 0, 206, 0), 0);
    for (quarry_field* field : {ground, ball, now}) quarry_field_free(field);
    quarry_edits_free(edits);
}

TEST(CApi, WrongEditsChangeNothingAndSayWhy) {
    quarry_field* ground = quarry_field_noise(1, 4, 0.02, 32);
    EXPECT_EQ(quarry_edits_new(nullptr, 1, 0), nullptr);
    EXPECT_EQ(quarry_edits_new(ground, -1, 0), nullptr);
    EXPECT_EQ(quarry_edits_new(ground, 1, 1), nullptr);
    quarry_edits* edits = quarry_edits_new(ground, 1, 0);
    const std::uint64_t untouched = quarry_edits_hash(edits);
    const auto refused = [&](quarry_edit edit) {
        EXPECT_EQ(quarry_edits_apply(edits, &edit, nullptr), QUARRY_INVALID);
        EXPECT_STRNE(quarry_last_error(), "");
    };
    refused(edit_of(9, 0, 0, 0, 1));
    refused(edit_of(-1, 0, 0, 0, 1));
    refused(edit_of(QUARRY_EDIT_DIG, std::nan(""), 0, 0, 1));
    refused(edit_of(QUARRY_EDIT_DIG, 0, 0, 0, 1e9F));
    quarry_edit edit = edit_of(QUARRY_EDIT_DIG, 0, 0, 0, 1);
    edit.editor = 70'000;
    refused(edit);
    edit = edit_of(QUARRY_EDIT_PAINT, 0, 0, 0, 1);
    edit.material = -1;
    refused(edit);
    edit = edit_of(QUARRY_EDIT_DIG, 0, 0, 0, 1);
    edit.size = sizeof edit + 8;
    refused(edit);
    EXPECT_EQ(quarry_edits_apply(edits, nullptr, nullptr), QUARRY_INVALID);
    quarry_edit_report report{};
    edit = edit_of(QUARRY_EDIT_DIG, 0, 0, 0, 1);
    EXPECT_EQ(quarry_edits_apply(edits, &edit, &report), QUARRY_INVALID) << "its size is 0";
    EXPECT_EQ(quarry_edits_hash(edits), untouched);
    EXPECT_EQ(quarry_edits_field(nullptr), nullptr);
    quarry_edits_free(nullptr);
    quarry_edits_free(edits);
    quarry_field_free(ground);
}

}  // namespace
