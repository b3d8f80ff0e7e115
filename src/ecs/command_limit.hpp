#pragma once

#include <cstdint>
#include <string>

#include "quarry/jobs/error.hpp"

namespace quarry::ecs::impl {

// A system has recorded more commands than it may. How many of its ranges notice depends on the workers, so it is
// reported once for each system, with the same words.
class TooManyCommands final : public Error {
  public:
    explicit TooManyCommands(std::uint64_t limit)
        : Error("more than " + std::to_string(limit) + " commands, which is the limit of this system") {}
};

}  // namespace quarry::ecs::impl
