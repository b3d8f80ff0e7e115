#include <algorithm>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/terminal.hpp"

namespace quarry::bench {
namespace {

bool starts_a_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
}

}  // namespace

bool is_live_terminal(std::FILE* stream) {
    // Nobody changes the environment. NOLINTNEXTLINE(concurrency-mt-unsafe)
    const char* kind = std::getenv("TERM");
    return isatty(fileno(stream)) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::size_t terminal_columns(std::FILE* stream) {
    winsize size{};
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}

std::size_t characters_in(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_a_character));
}

std::string fitting(std::string_view text, std::size_t columns) {
    // A character in the last column makes some terminals begin a new line.
    const std::size_t most = columns - std::min<std::size_t>(columns, 1);
    std::size_t seen = 0;
    for (std::size_t place = 0; place < text.size(); ++place) {
        if (starts_a_character(text[place]) && seen++ == most) return std::string(text.substr(0, place));
    }
    return std::string(text);
}

}  // namespace quarry::bench
