#pragma once

#include <span>

#include "preview/image.hpp"

namespace quarry::app::preview {

struct LegendEntry {
    char sign = '0';  // a digit, or T
    Pixel colour;
};

// Squares with one sign each, in the lower left corner, one beside the other; only as many as fit.
void draw_legend(Image& image, std::span<const LegendEntry> entries);

}  // namespace quarry::app::preview
