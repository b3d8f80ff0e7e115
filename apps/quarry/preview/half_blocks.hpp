#pragma once

#include <cstdio>
#include <string>

#include "preview/image.hpp"

namespace quarry::app::preview {

// The image as lines of text, two pixels a character: U+2580, the upper half block, the upper pixel as its colour and
// the lower one as its background, in 24-bit escape sequences. Where the height is odd, the last line has no
// background. Each line ends with a reset and a line feed.
std::string half_blocks(const Image& image);

// What a picture may be printed with.
struct TerminalLook {
    bool colours = false;
    int columns = 80;

    // A terminal that says it has 24-bit colours (COLORTERM is truecolor or 24bit) and no NO_COLOR set, and its width.
    static TerminalLook of(std::FILE* stream);
};

// The picture, shrunk to at most the terminal's width and `columns`, in half-blocks; empty without colours.
std::string picture_text(const Image& image, const TerminalLook& look, int columns = 100);

}  // namespace quarry::app::preview
