#pragma once

#include <array>
#include <string_view>

namespace quarry::app {

// As they are typed and reported, in the order of the enumerations.
inline constexpr std::array<std::string_view, 3> kJobNames{"compute_heavy", "sleep", "mixed"};
inline constexpr std::array<std::string_view, 2> kRulesNames{"strict", "lenient"};
inline constexpr std::array<std::string_view, 2> kBackendNames{"threads", "processes"};
inline constexpr std::array<std::string_view, 2> kPollNames{"while", "after"};

template <class Enumeration, std::size_t N>
constexpr std::string_view name_in(const std::array<std::string_view, N>& names, Enumeration value) {
    return names[static_cast<std::size_t>(value)];
}

}  // namespace quarry::app
