#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <omp.h>
#include <parallel/algorithm>

#include "jobs/fork_by_join.hpp"
#include "jobs/rows/loops.hpp"
#include "jobs/rows/submit.hpp"
#include "jobs/rows/then.hpp"

namespace quarry::bench {

class OpenMpEngine {
  public:
    OpenMpEngine(int workers, bool) : workers_(workers) { omp_set_num_threads(workers); }

    static const char* unsupported(std::string_view, int) { return nullptr; }

    template <class F>
    void enter(F&& f) {
#pragma omp parallel num_threads(workers_)
#pragma omp single
        f();
    }
    template <class F>
    void attach(F&& f) {
        f();
    }
    template <class F, class G>
    static auto join(F&& f, G&& g) {
        decltype(f()) left{};
        decltype(g()) right{};
#pragma omp task default(none) shared(right, g)
        right = g();
        left = f();
#pragma omp taskwait
        return std::pair(left, right);
    }
    template <class F>
    static auto fork_n(int count, F&& f) {
        if (count < 2) return count == 0 ? decltype(f(0)){} : f(0);
        std::array<decltype(f(0)), kMaxFork> results;
        for (int index = 1; index < count; ++index) {
#pragma omp task default(none) shared(results, f) firstprivate(index)
            results[static_cast<std::size_t>(index)] = f(index);
        }
        decltype(f(0)) sum = f(0);
#pragma omp taskwait
        for (int index = 1; index < count; ++index) sum += results[static_cast<std::size_t>(index)];
        return sum;
    }
    // The default schedule gives each thread one even share; costs that differ want the dynamic one.
    template <class F>
    void for_range(std::size_t count, LoopCost cost, F&& body) {
        if (cost == LoopCost::rising) {
#pragma omp parallel for num_threads(workers_) schedule(dynamic, 16)
            for (std::size_t index = 0; index < count; ++index) body(index, index + 1);
        } else {
#pragma omp parallel num_threads(workers_)
            {
                const auto threads = static_cast<std::size_t>(omp_get_num_threads());
                const auto thread = static_cast<std::size_t>(omp_get_thread_num());
                body(count * thread / threads, count * (thread + 1) / threads);
            }
        }
    }
    template <class F>
    void batch(int count, F&& job) {
#pragma omp parallel for num_threads(workers_) schedule(dynamic, 1)
        for (int index = 0; index < count; ++index) job(index);
    }
    void sort(std::vector<std::uint64_t>& keys) {
        __gnu_parallel::sort(keys.begin(), keys.end());
    }
    void spawn_empty(int count) {
#pragma omp parallel num_threads(workers_)
#pragma omp single
        for (int job = 0; job < count; ++job) {
#pragma omp task
            asm volatile("");
        }
    }
    // There is no hand-over without waiting; the nearest is a region of two threads whose second runs the job.
    template <class F>
    void hand_over(F&& job) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1) job();
    }
    // Tasks exist only within a region; its other threads are the workers.
    template <class F>
    void outside(F&& f) {
#pragma omp parallel num_threads(workers_ + 1)
#pragma omp single
        f();
    }
    template <class F>
    void flood(int count, F job) {
        for (int index = 0; index < count; ++index) {
#pragma omp task default(none) firstprivate(job)
            job();
        }
#pragma omp taskwait
    }
    template <class F>
    int submit_wait(F job) {
        int result = 0;
#pragma omp task default(none) shared(result) firstprivate(job)
        result = job();
#pragma omp taskwait
        return result;
    }
    template <class F>
    int submit_ready(F job) {
        return poll_for(
            [](auto task) {
#pragma omp task default(none) firstprivate(task)
                task();
            },
            job);
    }
    // Tasks that depend on the one before by the value they change.
    std::uint64_t then_chain(std::uint64_t links) {
        std::uint64_t value = 0;
        for (std::uint64_t link = 0; link < links; ++link) {
#pragma omp task default(none) shared(value) firstprivate(link) depend(inout : value)
            value = chain_link(value, link);
        }
#pragma omp taskwait
        return value;
    }

  private:
    int workers_;
};

}  // namespace quarry::bench
