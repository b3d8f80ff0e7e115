#pragma once

#include <cstdint>

#include "quarry/export.hpp"
#include "quarry/terrain/lattice.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain {

// What an edit does to the ground within its brush.
enum class EditKind : std::uint8_t {
    add,      // fills the brush
    dig,      // empties it
    smooth,   // each sample moves towards the mean of its six neighbours
    flatten,  // towards the plane through `at` with that `normal`
    raise,    // by `amount` world units; lowers if that is negative
    paint,    // `material`
    undo,     // of all edits of `editor` with that `stroke`; has no brush
    redo,
    remove,  // the loose part that the lattice point nearest to `at` belongs to: see loose_parts.hpp; has no brush
};

// Where an edit works: all within a surface around `at`.
enum class BrushShape : std::uint8_t {
    sphere,
    box,      // with sides along the axes
    capsule,  // all within `radius` of the line from `at` to `at + extent`
    stamp,    // a field: see EditWorld::add_stamp
};

// A change of the ground: a message of a few dozen bytes. Lengths are in world units. What is beyond the limits below
// is refused by EditWorld::apply.
struct Edit {
    EditKind kind = EditKind::dig;          // what is done
    BrushShape shape = BrushShape::sphere;  // where it is done
    std::uint8_t material = 0;              // of paint: 0 .. 3
    std::uint16_t stamp = 0;                // of the shape stamp: what add_stamp gave

    // Edits with both in common are undone together.
    std::uint16_t editor = 0;
    std::uint32_t stroke = 0;

    Position at{};            // the middle; of a capsule one end of its line
    Vector3 extent{};         // of a box: half of its size, above 0; of a capsule: from `at` to the other end
    Vector3 normal{0, 1, 0};  // of flatten: out of the ground; need not have length 1
    float radius = 1;         // above 0; of a box without meaning; of a stamp the size to which it is scaled
    float strength = 1;       // 0 .. 1: how far to go in one edit
    float falloff = 0;        // from the brush's surface inwards, the effect grows from nothing over this length
    float amount = 0;         // of raise

    friend constexpr bool operator==(const Edit&, const Edit&) = default;
};

// An edit whose brush spans more lattice points is refused; a ball with a radius of 125 voxels fits.
inline constexpr std::int64_t kMostEditSamples = std::int64_t{1} << 24;

}  // namespace quarry::terrain
