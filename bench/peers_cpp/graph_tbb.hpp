#pragma once

#include <memory>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "graph/shapes.hpp"

namespace quarry::bench {

// oneTBB's flow graph with continue nodes, made once.
class TbbGraph {
  public:
    TbbGraph(int workers, const GraphShape& shape, GraphWork& work)
        : limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers)), arena_(workers) {
        arena_.execute([&] {
            graph_ = std::make_unique<tbb::flow::graph>();
            for (std::uint32_t i = 0; i < shape.size(); ++i) {
                nodes_.push_back(std::make_unique<Node>(*graph_, [&work, i](const Message&) { work(i); }));
                for (const std::uint32_t other : shape.before[i]) tbb::flow::make_edge(*nodes_[other], *nodes_[i]);
                if (shape.before[i].empty()) first_.push_back(nodes_[i].get());
            }
        });
    }
    void run() {
        arena_.execute([&] {
            for (Node* node : first_) node->try_put(Message());
            graph_->wait_for_all();
        });
    }

  private:
    using Message = tbb::flow::continue_msg;
    using Node = tbb::flow::continue_node<Message>;

    tbb::global_control limit_;
    tbb::task_arena arena_;
    std::unique_ptr<tbb::flow::graph> graph_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<Node*> first_;
};

}  // namespace quarry::bench
