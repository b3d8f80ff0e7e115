#pragma once

#include <algorithm>
#include <string>

namespace quarry::terrain {

// JSON, in whose strings ' stands for ".
inline std::string quoted(std::string text) {
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

}  // namespace quarry::terrain
