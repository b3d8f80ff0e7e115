#include "preview/showcase_view.hpp"

namespace quarry::app::preview {

RenderOptions showcase_view(RenderOptions options, std::uint64_t seed) {
    options.water_level = terrain::kShowcaseWaterLevel;
    options.haze = 0.4;
    if (seed != terrain::kShowcaseSeed) return options;
    // Over the end of the fjord: the tunnel to the right, the mountains across the water.
    options.camera = Camera{{-22, 26, 26}, {-18.5, 29.4, -73.9}, 52};
    options.to_sun = terrain::Position{-0.96, 0.28, 0.03};
    return options;
}

}  // namespace quarry::app::preview
