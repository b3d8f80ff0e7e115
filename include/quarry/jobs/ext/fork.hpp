#pragma once

#include <cstdint>

#include "quarry/export.hpp"

// For layers that stand on jobs: what a forked child must not inherit.
namespace quarry::ext {

// How often this process is a forked child: 0 in the first one. Counted from the first call on.
QUARRY_API std::uint64_t fork_generation() noexcept;

// From now on calls `before` ahead of every fork, and `after` behind it in both processes: for a lock that a child
// would otherwise inherit from a thread that it does not have.
QUARRY_API void around_fork(void (*before)(), void (*after)()) noexcept;

}  // namespace quarry::ext
