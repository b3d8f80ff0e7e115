#pragma once

#include <array>
#include <cstddef>
#include <span>

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

    // Up to four materials at each of a triangle's corners.
    static constexpr std::size_t kMostShares = 3 * terrain::kMaterials;
    struct Share {
        std::size_t material = 0;
        float share = 0;
    };

    // For meshes without materials.
    std::array<Share, terrain::kMaterials> natural(Vec place, Vec normal) const noexcept;
    // Sets albedo and normal; width: what a sample covers, in world units.
    void colour(Ground& ground, std::span<const Share> materials, float width) const noexcept;

  private:
    Palette palette_;
    float voxel_;
    float height_;
    float low_;
};

}  // namespace quarry::app::preview
