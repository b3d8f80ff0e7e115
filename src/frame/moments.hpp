#pragma once

#include <chrono>
#include <cstdint>

// Arithmetic with moments that holds for all of them: the whole range of times is wider than a signed duration.
namespace quarry::impl {

using Moment = std::chrono::steady_clock::time_point;

inline std::uint64_t bits_of(Moment moment) noexcept {
    return static_cast<std::uint64_t>(moment.time_since_epoch().count());
}

inline Moment moment_of(std::uint64_t bits) noexcept {
    return Moment(Moment::duration(static_cast<std::int64_t>(bits)));
}

// later - earlier.
inline std::uint64_t nanoseconds_between(Moment earlier, Moment later) noexcept {
    return bits_of(later) - bits_of(earlier);
}

// At the end of time it stays there.
inline Moment later_by(Moment start, std::uint64_t nanoseconds) noexcept {
    if (nanoseconds >= nanoseconds_between(start, Moment::max())) return Moment::max();
    return moment_of(bits_of(start) + nanoseconds);
}

// At the beginning of time it stays there.
inline Moment earlier_by(Moment end, std::uint64_t nanoseconds) noexcept {
    if (nanoseconds >= nanoseconds_between(Moment::min(), end)) return Moment::min();
    return moment_of(bits_of(end) - nanoseconds);
}

// The longest duration there is, if it is longer.
inline std::chrono::nanoseconds as_duration(std::uint64_t nanoseconds) noexcept {
    constexpr auto most = std::chrono::nanoseconds::max();
    if (nanoseconds > static_cast<std::uint64_t>(most.count())) return most;
    return std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds));
}

// Sum of two that are not negative.
inline std::chrono::nanoseconds bounded_sum(std::chrono::nanoseconds a, std::chrono::nanoseconds b) noexcept {
    constexpr auto most = std::chrono::nanoseconds::max();
    return b > most - a ? most : a + b;
}

}  // namespace quarry::impl
