#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "jobs/rows/context.hpp"

namespace quarry::bench {

class EngineHost {
  public:
    virtual ~EngineHost() = default;
    // Why this engine has no such row, or nothing.
    virtual const char* unsupported(std::string_view row, int workers) const = 0;
    virtual void run(std::string_view row, RowContext& context) = 0;
    // Throws if this engine records none.
    virtual void write_trace(const std::string& path) {
        throw std::runtime_error("no trace for " + path + ": this engine records none");
    }
};

}  // namespace quarry::bench
