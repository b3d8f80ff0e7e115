#pragma once

#include <vector>

#include <omp.h>

#include "graph/shapes.hpp"

namespace quarry::bench {

// OpenMP's tasks with dependences. They cannot be kept: each run makes them anew.
class OpenMpGraph {
  public:
    OpenMpGraph(int workers, const GraphShape& shape, GraphWork& work)
        : workers_(workers), shape_(shape), work_(work), tokens_(shape.size()) {}

    void run() {
        [[maybe_unused]] char* const tokens = tokens_.data();
        GraphWork* const work = &work_;
#pragma omp parallel num_threads(workers_)
#pragma omp single
        for (std::uint32_t i = 0; i < shape_.size(); ++i) {
            const std::uint32_t* const before = shape_.before[i].data();
            const std::size_t count = shape_.before[i].size();
#pragma omp task depend(iterator(std::size_t k = 0      \
                                 : count),              \
                        in                              \
                        : tokens[before[k]]) depend(out \
                                                    : tokens[i]) firstprivate(i, work)
            (*work)(i);
        }
    }

  private:
    const int workers_;
    const GraphShape& shape_;
    GraphWork& work_;
    std::vector<char> tokens_;
};

}  // namespace quarry::bench
