#pragma once

#include <type_traits>

namespace quarry::impl {

// What a function gives that was used wrongly, behind the static_assert that says so. It goes with whatever is done
// with it, so that the compiler has nothing to add.
struct Misused {
    template <class T>
    operator T() const;  // NOLINT(google-explicit-constructor): see above
};

template <class R>
inline constexpr bool kMovesOut = std::is_void_v<R> || std::is_reference_v<R> || std::is_move_constructible_v<R>;

}  // namespace quarry::impl
