#include "tools/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace quarry::app {
namespace {

bool same_letter(char one, char other) {
    return std::tolower(static_cast<unsigned char>(one)) == std::tolower(static_cast<unsigned char>(other));
}

// How many letters put in, left out, changed or swapped with their neighbour turn one word into the other.
std::size_t distance(std::string_view one, std::string_view other) {
    const std::size_t width = other.size() + 1;
    std::vector<std::size_t> steps((one.size() + 1) * width);
    const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return steps[i * width + j]; };
    for (std::size_t i = 0; i <= one.size(); ++i) at(i, 0) = i;
    for (std::size_t j = 0; j <= other.size(); ++j) at(0, j) = j;
    for (std::size_t i = 1; i <= one.size(); ++i) {
        for (std::size_t j = 1; j <= other.size(); ++j) {
            const std::size_t changed = at(i - 1, j - 1) + (same_letter(one[i - 1], other[j - 1]) ? 0 : 1);
            at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, changed});
            const bool swapped =
                i > 1 && j > 1 && same_letter(one[i - 1], other[j - 2]) && same_letter(one[i - 2], other[j - 1]);
            if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
        }
    }
    return steps.back();
}

std::string_view without_dashes(std::string_view word) {
    word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
    return word;
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view typed, std::span<const std::string> known) {
    constexpr std::size_t kLongest = 64;
    const std::string_view word = without_dashes(typed);
    if (word.empty() || word.size() > kLongest) return std::nullopt;
    std::optional<std::string> nearest;
    // More than a third of the letters wrong is another word.
    std::size_t least = std::max<std::size_t>(1, (word.size() + 1) / 3) + 1;
    for (const std::string& each : known) {
        const std::string_view name = without_dashes(each);
        const bool begins_with_it = word.size() >= 2 && name.size() > word.size() && name.starts_with(word);
        const std::size_t steps = begins_with_it ? 1 : distance(word, name);
        if (steps >= least) continue;
        least = steps;
        nearest = each;
    }
    return nearest;
}

}  // namespace quarry::app
