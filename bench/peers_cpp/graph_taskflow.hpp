#pragma once

#include <vector>

#include <taskflow/taskflow.hpp>

#include "graph/shapes.hpp"

namespace quarry::bench {

class TaskflowGraph {
  public:
    TaskflowGraph(int workers, const GraphShape& shape, GraphWork& work)
        : executor_(static_cast<std::size_t>(workers)) {
        std::vector<tf::Task> nodes;
        for (std::uint32_t i = 0; i < shape.size(); ++i) {
            nodes.push_back(flow_.emplace([&work, i] { work(i); }));
            for (const std::uint32_t other : shape.before[i]) nodes[other].precede(nodes[i]);
        }
    }
    void run() { executor_.run(flow_).wait(); }

  private:
    tf::Executor executor_;
    tf::Taskflow flow_;
};

}  // namespace quarry::bench
