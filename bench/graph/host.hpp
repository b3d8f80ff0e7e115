#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "graph/shapes.hpp"
#include "jobs/engine_host.hpp"

namespace quarry::bench {

// Serves the rows of `quarry bench graph`. E(workers, shape, work) builds the graph, run() runs it once.
template <class E>
class GraphHostOf final : public EngineHost {
  public:
    const RowInfo* find(std::string_view row) const override {
        const GraphRow* const found = find_graph_row(row);
        return found == nullptr ? nullptr : &found->info;
    }
    bool tells_memory() const override { return false; }
    const char* unsupported(std::string_view, int) const override { return nullptr; }

  private:
    void measure(std::string_view name, RowContext& context) override {
        const GraphRow& row = *find_graph_row(name);
        if (row_ != &row || workers_ != context.workers) prepare(row, context.workers);
        work_->clear();
        engine_->run();
        if (work_->result() != expected_) throw std::runtime_error("a wrong result");
        const double seconds = seconds_per_call(context.min_seconds(), [&] { engine_->run(); });
        context.add_time(std::string(name), seconds / static_cast<double>(shape_.size()));
    }

    void prepare(const GraphRow& row, int workers) {
        engine_.reset();
        shape_ = row.make();
        work_ = std::make_unique<GraphWork>(shape_, row.nanoseconds * chain_steps_per_us() / 1000);
        expected_ = GraphWork::expected(shape_);
        engine_ = std::make_unique<E>(workers, shape_, *work_);
        row_ = &row;
        workers_ = workers;
    }

    const GraphRow* row_ = nullptr;
    int workers_ = 0;
    GraphShape shape_;
    std::uint64_t expected_ = 0;
    std::unique_ptr<GraphWork> work_;
    std::unique_ptr<E> engine_;
};

}  // namespace quarry::bench
