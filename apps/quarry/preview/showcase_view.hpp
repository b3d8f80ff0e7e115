#pragma once

#include "preview/render.hpp"
#include "showcase/showcase.hpp"

namespace quarry::app::preview {

// The options with the showcase world's water and haze, and a camera and a sun that suit it whatever its seed is.
RenderOptions showcase_view(RenderOptions options = {});

}  // namespace quarry::app::preview
