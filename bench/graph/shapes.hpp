#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "jobs/measure.hpp"
#include "jobs/rows/list.hpp"

namespace quarry::bench {

// Nodes and what comes before each of them, always of a lower number.
struct GraphShape {
    std::vector<std::vector<std::uint32_t>> before;

    std::size_t size() const { return before.size(); }
};

// What the nodes compute: one more than the sum of those before, and some work on the way. So the result tells whether
// everything ran, once and in order.
class GraphWork {
  public:
    GraphWork(const GraphShape& shape, std::uint64_t chain_steps)
        : shape_(shape), steps_(chain_steps), values_(shape.size()) {}

    void operator()(std::uint32_t node) {
        std::uint64_t value = 1;
        for (const std::uint32_t other : shape_.before[node]) value += values_[other];
        if (steps_ != 0) {
            std::uint64_t busy = chain(steps_, value);
            keep(busy);
        }
        values_[node] = value;
    }

    void clear() { values_.assign(values_.size(), 0); }
    std::uint64_t result() const;
    // What result() must be.
    static std::uint64_t expected(const GraphShape& shape);

  private:
    const GraphShape& shape_;
    const std::uint64_t steps_;
    std::vector<std::uint64_t> values_;
};

struct GraphRow {
    RowInfo info;
    GraphShape (*make)();
    std::uint64_t nanoseconds;  // of work in each node
};

// The rows of `quarry bench graph`.
std::span<const GraphRow> graph_rows();
const GraphRow* find_graph_row(std::string_view name);

}  // namespace quarry::bench
