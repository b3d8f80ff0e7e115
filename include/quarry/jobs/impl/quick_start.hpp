#pragma once

#include <chrono>
#include <cstddef>

namespace quarry::impl {

// Work shorter than this is not worth waking a worker for.
inline constexpr std::chrono::microseconds kWorthWaking{10};

// Whether `parts` parts, of which the first one began at `start` and has just ended, promise to be worth
// sharing.
inline bool worth_sharing(std::chrono::steady_clock::time_point start, std::ptrdiff_t parts) {
    return (std::chrono::steady_clock::now() - start) * parts > kWorthWaking;
}

}  // namespace quarry::impl
