#pragma once

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace quarry::terrain::impl {

// Throws unless low <= value <= high; a value that is not a number is in no range.
inline void require_range(const char* option, double value, double low, double high) {
    if (value >= low && value <= high) return;
    std::ostringstream message;
    message << option << " is " << value << "; " << low << " to " << high << " is allowed";
    throw std::invalid_argument(message.str());
}

}  // namespace quarry::terrain::impl
