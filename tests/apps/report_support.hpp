#pragma once

#include <string>

#include "harness/machine.hpp"

namespace quarry::app::test_support {

inline const bench::Machine kMachine{"a processor", 2, "avx2"};

inline bool mentions(const std::string& text, const std::string& word) {
    return text.find(word) != std::string::npos;
}

}  // namespace quarry::app::test_support
