#pragma once

#include "quarry/export.hpp"

namespace quarry {

// A hint for as long as it lives, on any thread, for all pools: the thread computes and does not sleep, so a worker
// that it wakes by a submit had better start on another CPU. Without it a pool supposes that a thread from outside is
// about to sleep. Pool::begin_frame says the same of a host's whole frame. May be nested. Costs a few instructions.
class [[nodiscard]] CallerGoesOn {
  public:
    QUARRY_API CallerGoesOn() noexcept;
    QUARRY_API ~CallerGoesOn();
    CallerGoesOn(const CallerGoesOn&) = delete;
    CallerGoesOn& operator=(const CallerGoesOn&) = delete;
};

}  // namespace quarry
