#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "jobs/rows/context.hpp"
#include "jobs/rows/list.hpp"

namespace quarry::bench {

class EngineHost {
  public:
    virtual ~EngineHost() = default;
    // A row of that name, or nothing.
    virtual const RowInfo* find(std::string_view row) const { return find_row(row); }
    // Whether each row has the process's peak memory as a figure.
    virtual bool tells_memory() const { return true; }
    // Why this engine has no such row, or nothing.
    virtual const char* unsupported(std::string_view row, int workers) const = 0;
    // Throws for a row that there is not.
    void run(std::string_view row, RowContext& context) {
        const RowInfo* const info = find(row);
        if (info == nullptr) throw std::runtime_error("no such row: " + std::string(row));
        context.unit = info->unit;
        measure(row, context);
    }
    // Throws if this engine records none.
    virtual void write_trace(const std::string& path) {
        throw std::runtime_error("no trace for " + path + ": this engine records none");
    }

  private:
    virtual void measure(std::string_view row, RowContext& context) = 0;
};

}  // namespace quarry::bench
