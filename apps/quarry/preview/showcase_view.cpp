#include "preview/showcase_view.hpp"

namespace quarry::app::preview {

RenderOptions showcase_view(RenderOptions options, std::uint64_t seed) {
    options.water_level = terrain::kShowcaseWaterLevel;
    options.haze = 0.4;
    if (seed != terrain::kShowcaseSeed) return options;
    // Over the end of the fjord: the tunnel to the right, the mountains across the water.
    options.camera = Camera{{0, 22, 0}, {-3.5, 20.3, -99.9}, 50};
    options.to_sun = terrain::Position{-0.94, 0.30, 0.15};
    return options;
}

}  // namespace quarry::app::preview
