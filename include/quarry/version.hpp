#pragma once

#include <string_view>

namespace quarry {

// The version of these headers. CMakeLists.txt reads it from here.
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace quarry
