#pragma once

#include <cstddef>
#include <utility>

#include "quarry/jobs/join.hpp"
#include "quarry/jobs/pool.hpp"

namespace quarry::impl {

// Where a recursive algorithm stands: its outermost fork names the pool, the forks within are already on one
// of that pool's threads and take the cheaper way.
class ForkPoint {
  public:
    static ForkPoint outermost(Pool& pool) { return ForkPoint(&pool); }
    static ForkPoint nested() { return ForkPoint(nullptr); }

    template <class F, class G>
    auto join(F&& f, G&& g) const {
        if (pool_ != nullptr) return pool_->join(std::forward<F>(f), std::forward<G>(g));
        return quarry::join(std::forward<F>(f), std::forward<G>(g));
    }

  private:
    explicit ForkPoint(Pool* pool) : pool_(pool) {}
    Pool* pool_;
};

// body(i) for every i in [first, last), each one long enough to be shared on its own.
template <class Body>
void fork_over(ForkPoint at, std::ptrdiff_t first, std::ptrdiff_t last, const Body& body) {
    if (last - first == 1) return body(first);
    if (last <= first) return;
    const std::ptrdiff_t middle = first + (last - first) / 2;
    at.join([&] { fork_over(ForkPoint::nested(), first, middle, body); },
            [&] { fork_over(ForkPoint::nested(), middle, last, body); });
}

}  // namespace quarry::impl
