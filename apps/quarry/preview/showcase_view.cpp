#include "preview/showcase_view.hpp"

namespace quarry::app::preview {

RenderOptions showcase_view(RenderOptions options) {
    options.water_level = terrain::kShowcaseWaterLevel;
    options.haze = 0.4;
    // From the end of the fjord along it: the tunnel to the left, the bay with the caves to the right.
    options.camera = Camera{{6, 34, 110}, {12, 36, 10}, 52};
    options.to_sun = terrain::Position{-0.22, 0.46, 0.86};
    return options;
}

}  // namespace quarry::app::preview
