#pragma once

#include <cstdint>

#include "preview/render.hpp"
#include "quarry/terrain/showcase.hpp"

namespace quarry::app::preview {

// The options with the showcase world's water and haze, and for the seed that is usually shown a camera and a sun
// chosen by hand. Other seeds have other mountains: there the camera is chosen from the meshes, as for any world.
RenderOptions showcase_view(RenderOptions options = {}, std::uint64_t seed = terrain::kShowcaseSeed);

}  // namespace quarry::app::preview
