#include "graph/engine.hpp"

#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/task_graph.hpp>

#include "graph/host.hpp"

namespace quarry::bench {
namespace {

class QuarryGraph {
  public:
    QuarryGraph(int workers, const GraphShape& shape, GraphWork& work) : pool_(workers) {
        std::vector<GraphNode> nodes;
        for (std::uint32_t i = 0; i < shape.size(); ++i) {
            nodes.push_back(graph_.add("node", [&work, i] { work(i); }));
            for (const std::uint32_t other : shape.before[i]) nodes[i].after(nodes[other]);
        }
        graph_.build();
    }
    void run() { graph_.run(pool_); }

  private:
    Pool pool_;
    TaskGraph graph_;
};

class BareLoop {
  public:
    BareLoop(int, const GraphShape& shape, GraphWork& work)
        : nodes_(static_cast<std::uint32_t>(shape.size())), work_(work) {}
    void run() {
        for (std::uint32_t i = 0; i < nodes_; ++i) work_(i);
    }

  private:
    const std::uint32_t nodes_;
    GraphWork& work_;
};

}  // namespace

int serve_graph_engine(std::string_view name) {
    if (name == "quarry") {
        GraphHostOf<QuarryGraph> host;
        return serve(host);
    }
    if (name == "bare") {
        GraphHostOf<BareLoop> host;
        return serve(host);
    }
    return 2;
}

}  // namespace quarry::bench
