#pragma once

#include <gtest/gtest.h>
#include <quarry/c.h>

inline quarry_edit edit_of(int kind, double x, double y, double z, float radius) {
    quarry_edit edit{};
    quarry_edit_init(&edit);
    edit.kind = kind;
    edit.x = x;
    edit.y = y;
    edit.z = z;
    edit.radius = radius;
    return edit;
}

inline float density_at(const quarry_field* field, double x, double y, double z) {
    const double place[] = {x, y, z};
    float density = 0;
    EXPECT_EQ(quarry_field_densities(field, place, 1, &density), QUARRY_OK) << quarry_last_error();
    return density;
}

inline quarry_edits* edits_of_a_ball() {
    quarry_field* ground =
        quarry_field_from_json(R"({"field": {"type": "sphere", "centre": [0, 0, 0], "radius": 20}})", nullptr);
    quarry_edits* edits = quarry_edits_new(ground, 1, 0);
    quarry_field_free(ground);
    return edits;
}
