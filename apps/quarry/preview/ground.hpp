#pragma once

#include <array>

#include "preview/geometry.hpp"
#include "preview/render.hpp"
#include "preview/vector.hpp"
#include "preview/view.hpp"
#include "quarry/terrain/material_weights.hpp"

namespace quarry::app::preview {

// The surface at one sample.
struct Ground {
    Vec place;
    Vec normal;  // with small bumps; towards the side that is seen
    Vec smooth;  // the mesh's own
    Vec albedo;  // share of the light that is sent back
    Vec sky;     // light of the sky, from the vertices
};

// Chooses colours by material, with small variations; those finer than a sample fade away.
class GroundColours {
  public:
    GroundColours(const Palette& palette, const Geometry& geometry, float voxel);

    using Shares = std::array<float, terrain::kMaterials>;

    // For meshes without materials.
    Shares natural(Vec place, Vec normal) const noexcept;
    // Sets albedo and normal; width: what a sample covers, in world units.
    void colour(Ground& ground, const Shares& materials, float width) const noexcept;

  private:
    Palette palette_;
    float voxel_;
    float low_;
    float height_;
};

}  // namespace quarry::app::preview
