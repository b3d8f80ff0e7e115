#pragma once

#include <string>

#include "quarry/export.hpp"

namespace quarry::ext {

// The name that the operating system knows the calling thread by, for messages.
QUARRY_API std::string thread_name();

}  // namespace quarry::ext
