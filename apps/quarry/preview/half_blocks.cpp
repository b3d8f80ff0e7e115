#include "preview/half_blocks.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace quarry::app::preview {

std::string half_blocks(const Image& image) {
    std::string text;
    for (int y = 0; y < image.height; y += 2) {
        const bool has_lower = y + 1 < image.height;
        for (int x = 0; x < image.width; ++x) {
            const Pixel upper = image.at(x, y);
            // A run of equal colours needs its codes once.
            const bool same =
                x > 0 && upper == image.at(x - 1, y) && (!has_lower || image.at(x, y + 1) == image.at(x - 1, y + 1));
            if (!same) {
                text += fmt::format("\033[38;2;{};{};{}m", upper.red, upper.green, upper.blue);
                if (has_lower) {
                    const Pixel lower = image.at(x, y + 1);
                    text += fmt::format("\033[48;2;{};{};{}m", lower.red, lower.green, lower.blue);
                }
            }
            text += "▀";
        }
        text += "\033[0m\n";
    }
    return text;
}

TerminalLook TerminalLook::of(std::FILE* stream) {
    // Read once, before any thread is started.
    const char* refused = std::getenv("NO_COLOR");   // NOLINT(concurrency-mt-unsafe)
    const char* offered = std::getenv("COLORTERM");  // NOLINT(concurrency-mt-unsafe)
    const std::string_view kind = offered == nullptr ? "" : offered;
    TerminalLook look;
    look.colours = isatty(fileno(stream)) == 1 && (refused == nullptr || *refused == '\0') &&
                   (kind == "truecolor" || kind == "24bit");
    winsize size{};
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) look.columns = size.ws_col;
    return look;
}

std::string picture_text(const Image& image, const TerminalLook& look, int columns) {
    const int width = std::min({look.columns, columns, image.width});
    if (!look.colours || width < 1) return "";
    // A half-block is about as wide as it is high, so pixels stay square.
    const int height = std::clamp(width * image.height / image.width, 1, image.height);
    return half_blocks(shrunk(image, width, height));
}

}  // namespace quarry::app::preview
