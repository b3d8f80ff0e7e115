#include "preview/legend.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace quarry::app::preview {
namespace {

constexpr int kWide = 3;
constexpr int kHigh = 5;
constexpr std::string_view kSigns = "01234567T";

// Rows from the top, three bits each.
constexpr std::array<std::array<std::uint8_t, kHigh>, kSigns.size()> kGlyphs{{
    {7, 5, 5, 5, 7},
    {2, 6, 2, 2, 7},
    {7, 1, 7, 4, 7},
    {7, 1, 3, 1, 7},
    {5, 5, 7, 1, 1},
    {7, 4, 7, 1, 7},
    {7, 4, 7, 5, 7},
    {7, 1, 2, 2, 2},
    {7, 2, 2, 2, 2},
}};

bool is_set(char sign, int column, int row) {
    const std::size_t glyph = kSigns.find(sign);
    if (glyph == std::string_view::npos) return false;
    return (kGlyphs[glyph][static_cast<std::size_t>(row)] >> (kWide - 1 - column) & 1) != 0;
}

}  // namespace

void draw_legend(Image& image, std::span<const LegendEntry> entries) {
    const int dot = std::max(1, image.height / 180);
    const int square = dot * 9;
    const int gap = dot * 2;
    const int top = image.height - square - 2 * gap;
    int left = 2 * gap;
    if (top < 0) return;
    for (const LegendEntry& entry : entries) {
        if (left + square > image.width) return;
        for (int y = 0; y < square; ++y) {
            for (int x = 0; x < square; ++x) {
                const int column = x / dot - 3;
                const int row = y / dot - 2;
                const bool ink =
                    column >= 0 && column < kWide && row >= 0 && row < kHigh && is_set(entry.sign, column, row);
                image.at(left + x, top + y) = ink ? Pixel{255, 255, 255} : entry.colour;
            }
        }
        left += square + gap;
    }
}

}  // namespace quarry::app::preview
