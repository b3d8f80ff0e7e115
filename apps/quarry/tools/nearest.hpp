#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace quarry::app {

// The known word that was most likely meant: the one that the fewest letters put in, left out, changed or swapped make
// of what was typed, or that what was typed is the beginning of. Nothing if none is near.
std::optional<std::string> nearest_word(std::string_view typed, std::span<const std::string> known);

}  // namespace quarry::app
