#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <quarry/terrain/description.hpp>
#include <quarry/terrain/lattice.hpp>
#include <quarry/terrain/material_weights.hpp>

#include "preview/image.hpp"

namespace quarry::app {

// What a field is at a place.
struct FieldPoint {
    terrain::Position at{};
    float density = 0;
    terrain::Gradient gradient{};
    std::optional<terrain::MaterialMix> materials{};  // of ground that faces along the gradient
};

// What a field says of a box, and what it is there.
struct FieldBox {
    terrain::Box box{};
    terrain::Interval bounds{};
    terrain::Interval sampled{};  // at kBoxPoints places along each axis
};

inline constexpr int kBoxPoints = 33;

enum class SlicePlane : std::uint8_t { xy, xz, zy };

// A flat cut through a field; the second letter of the plane runs up.
struct SliceOptions {
    SlicePlane plane = SlicePlane::xy;
    terrain::Position centre{};
    double size = 256;  // world units along each side
    int pixels = 512;   // along each side
};

FieldPoint look_at_point(const terrain::Described& described, const terrain::Position& at);
FieldBox look_at_box(const terrain::Described& described, const terrain::Box& box);

// Solid ground in the colours of its materials, darker with depth; air bluer with distance to the ground; the surface
// as a dark line. Thin lines are where the density is a multiple of `line_step(options)`.
preview::Image draw_slice(const terrain::Described& described, const SliceOptions& options);
double line_step(const SliceOptions& options);

}  // namespace quarry::app
