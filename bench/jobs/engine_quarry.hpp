#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <quarry/jobs/join.hpp>
#include <quarry/jobs/parallel_for.hpp>
#include <quarry/jobs/parallel_sort.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/scope.hpp>

#include "jobs/channel_quarry.hpp"
#include "jobs/fork_by_join.hpp"
#include "jobs/lanes_quarry.hpp"
#include "jobs/recording.hpp"
#include "jobs/rows/loops.hpp"
#include "jobs/rows/then.hpp"

namespace quarry::bench {

// No setting is needed for good results. The number of workers is what a run is about; all else is left as it is,
// here and in every call: no grain, no lane, no priority. The row `lanes` alone asks for lanes, its subject.
class QuarryEngine {
  public:
    using Channel = QuarryChannel;
    using Lanes = QuarryLanes;

    static PoolOptions pool_options(int workers) { return {.workers = workers}; }

    QuarryEngine(int workers, bool) : pool_(pool_options(workers)) { record(pool_); }

    static const char* unsupported(std::string_view, int) { return nullptr; }

    // Within a scope the calling thread takes part in the pool, and join() means this pool.
    template <class F>
    void enter(F&& f) {
        pool_.scope([&f](Scope&) { f(); });
    }
    template <class F>
    void attach(F&& f) {
        f();
    }
    template <class F, class G>
    static auto join(F&& f, G&& g) {
        return quarry::join(std::forward<F>(f), std::forward<G>(g));
    }
    template <class F, class G>
    auto pool_join(F&& f, G&& g) {
        return pool_.join(std::forward<F>(f), std::forward<G>(g));
    }
    template <class F>
    static auto fork_n(int count, F&& f) {
        return fork_by_join<QuarryEngine>(0, count, f);
    }
    template <class F>
    void for_range(std::size_t count, LoopCost, F&& body) {
        parallel_for(pool_, std::size_t{0}, count, [&body](IndexRange range) {
            body(static_cast<std::size_t>(range.first), static_cast<std::size_t>(range.last));
        });
    }
    template <class F>
    void batch(int count, F&& job) {
        pool_.scope([&](Scope& scope) {
            for (int index = 0; index < count; ++index) scope.spawn([&job, index] { job(index); });
        });
    }
    void sort(std::vector<std::uint64_t>& keys) { parallel_sort(pool_, keys); }
    void spawn_empty(int count) {
        pool_.scope([count](Scope& scope) {
            for (int job = 0; job < count; ++job) scope.spawn([] {});
        });
    }
    template <class F>
    void hand_over(F&& job) {
        pool_.submit(std::forward<F>(job));
    }
    template <class F>
    void outside(F&& f) {
        f();
    }
    template <class F>
    void flood(int count, F job) {
        for (int index = 0; index < count; ++index) pool_.submit(job);
    }
    template <class F>
    int submit_wait(F job) {
        return pool_.submit(job).get();
    }
    template <class F>
    int submit_ready(F job) {
        Task<int> task = pool_.submit(job);
        while (!task.ready()) relax();
        return task.get();
    }
    std::uint64_t then_chain(std::uint64_t links) {
        Task<std::uint64_t> task = pool_.submit([] { return std::uint64_t{0}; });
        for (std::uint64_t link = 0; link < links; ++link) {
            task = std::move(task).then([link](std::uint64_t value) { return chain_link(value, link); });
        }
        return task.get();
    }

  private:
    Pool pool_;
};

}  // namespace quarry::bench
