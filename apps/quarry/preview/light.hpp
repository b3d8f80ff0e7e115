#pragma once

#include <cstddef>
#include <vector>

#include "preview/atmosphere.hpp"
#include "preview/depth_map.hpp"
#include "preview/geometry.hpp"
#include "preview/vector.hpp"
#include "quarry/jobs/pool.hpp"

namespace quarry::app::preview {

// Shadows of the sun, from maps that are the finer the nearer they are to the eye.
class SunShadow {
  public:
    SunShadow(Pool& pool, const Geometry& geometry, Vec to_sun, Vec eye, Vec forward, int map_size);

    // Share of the sunlight that reaches a place on a surface with that normal.
    float light_at(Vec place, Vec normal) const noexcept;

  private:
    std::vector<DepthMap> maps_;  // finest first
};

// Light of the sky at every vertex of the meshes, of the directions that no mesh covers, and a little that covering
// ground sends back. wanted[i]: whether mesh i needs any.
std::vector<std::vector<Vec>> sky_light(Pool& pool, const Geometry& geometry, const Atmosphere& air, Vec eye,
                                        Vec forward, const std::vector<bool>& wanted, int map_size);

}  // namespace quarry::app::preview
