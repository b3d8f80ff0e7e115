#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/pool.hpp"

namespace quarry {

namespace impl {
// The calling thread's index in the pool; throws quarry::Error when it takes no part in it.
QUARRY_API std::size_t thread_index_in(const Pool& pool);
// Every thread's index is below this.
QUARRY_API std::size_t most_threads_in(const Pool& pool) noexcept;
}  // namespace impl

// One T for each thread that takes part in a pool, made when that thread first asks for it: scratch memory, partial
// results, caches. Two jobs that run at the same time never get the same one; a job that waits (in a scope, join or
// loop) may meet, in what it runs meanwhile, its own.
template <class T>
class WorkerLocal {
  public:
    // make() makes each of them.
    explicit WorkerLocal(
        Pool& pool, std::function<T()> make = [] { return T(); })
        : pool_(pool), make_(std::move(make)), values_(impl::most_threads_in(pool)) {}

    // The calling thread's own. Throws quarry::Error on a thread that neither works for the pool nor takes part in a
    // scope, join or loop of it.
    T& local() {
        std::unique_ptr<Padded>& own = values_[impl::thread_index_in(pool_)];
        if (own == nullptr) own = std::make_unique<Padded>(make_());
        return own->value;
    }

    // Calls visit(T&) for all that were made. Not while jobs use them.
    template <class Visit>
    void for_each(Visit visit) {
        for (const std::unique_ptr<Padded>& each : values_) {
            if (each != nullptr) visit(each->value);
        }
    }

  private:
    // On cache lines of its own.
    struct alignas(128) Padded {
        explicit Padded(T&& made) : value(std::move(made)) {}
        T value;
    };

    Pool& pool_;
    std::function<T()> make_;
    std::vector<std::unique_ptr<Padded>> values_;  // by the thread's index
};

}  // namespace quarry
