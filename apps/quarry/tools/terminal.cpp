#include "tools/terminal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "harness/terminal.hpp"

namespace quarry::app {

Look Look::of(std::FILE* stream) {
    // Read once, before any thread is started.
    const char* refused = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe)
    return Look(bench::is_live_terminal(stream) && (refused == nullptr || *refused == '\0'));
}

std::string Look::paint(std::string_view code, std::string_view text) const {
    return terminal_ ? fmt::format("{}{}\033[0m", code, text) : std::string(text);
}

std::string Look::graded(Grade grade, std::string_view text) const {
    if (grade == Grade::a) return good(text);
    return grade == Grade::f ? bad(text) : warning(text);
}

std::string Look::bar(double share, int width) const {
    const double filled = std::clamp(std::isnan(share) ? 0.0 : share, 0.0, 1.0) * width;
    if (!terminal_) {
        const int marks = filled > 0 ? std::max(1, static_cast<int>(std::lround(filled))) : 0;
        return std::string(static_cast<std::size_t>(marks), '#') +
               std::string(static_cast<std::size_t>(width - marks), '.');
    }
    constexpr std::array<const char*, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int eighths = filled > 0 ? std::max(1, static_cast<int>(std::lround(filled * 8))) : 0;
    std::string text;
    for (int place = 0; place < eighths / 8; ++place) text += "█";
    text += kEighths[static_cast<std::size_t>(eighths % 8)];
    const int used = (eighths + 7) / 8;
    return text + std::string(static_cast<std::size_t>(width - used), ' ');
}

std::string duration_text(double duration_ns) {
    struct Unit {
        double size;
        const char* name;
    };
    constexpr std::array<Unit, 4> kUnits{Unit{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
    if (std::isnan(duration_ns)) return "-";
    std::size_t unit = 0;
    while (unit + 1 < kUnits.size() && std::abs(duration_ns) >= 999.5 * kUnits[unit].size) ++unit;
    const double value = duration_ns / kUnits[unit].size;
    const double size = std::abs(value);
    const int digits = unit == 0 || size >= 99.95 ? 0 : (size >= 9.995 ? 1 : 2);
    return fmt::format("{:.{}f} {}", value, digits, kUnits[unit].name);
}

std::string grouped(unsigned long long number) {
    std::string text = std::to_string(number);
    for (std::size_t place = text.size(); place > 3;) {
        place -= 3;
        text.insert(place, ",");
    }
    return text;
}

}  // namespace quarry::app
