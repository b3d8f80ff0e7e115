#pragma once

#include <string_view>

#include "jobs/rows/context.hpp"

namespace quarry::bench {

class EngineHost {
  public:
    virtual ~EngineHost() = default;
    // Why this engine has no such row, or nothing.
    virtual const char* unsupported(std::string_view row, int workers) const = 0;
    virtual void run(std::string_view row, RowContext& context) = 0;
};

}  // namespace quarry::bench
