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
// The calling thread's place in the pool; throws quarry::Error when it has none.
QUARRY_API std::size_t place_in(const Pool& pool);
QUARRY_API std::size_t most_places_in(const Pool& pool) noexcept;
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
        : pool_(pool), make_(std::move(make)), places_(impl::most_places_in(pool)) {}

    // The calling thread's own. Throws quarry::Error on a thread that neither works for the pool nor takes part in a
    // scope, join or loop of it.
    T& local() {
        std::unique_ptr<Padded>& place = places_[impl::place_in(pool_)];
        if (place == nullptr) place = std::make_unique<Padded>(make_());
        return place->value;
    }

    // Calls visit(T&) for all that were made. Not while jobs use them.
    template <class Visit>
    void for_each(Visit visit) {
        for (const std::unique_ptr<Padded>& place : places_) {
            if (place != nullptr) visit(place->value);
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
    std::vector<std::unique_ptr<Padded>> places_;
};

}  // namespace quarry
