#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/rows/loops.hpp"

namespace quarry::bench {

// std::async starts a thread a call, so it runs only the rows where a few threads carry the work.
class AsyncEngine {
  public:
    AsyncEngine(int workers, bool) : workers_(workers) { limit() = workers; }

    static const char* unsupported(std::string_view row, int) {
        for (const std::string_view forks :
             {"fib", "tree_sum", "nqueens", "uts", "skynet", "spawn", "flood", "tick", "burst60"}) {
            if (row == forks) return "a thread per fork is not feasible";
        }
        return row == "idle" ? "keeps no threads" : nullptr;
    }

    template <class F>
    void enter(F&& f) {
        depth() = 0;
        f();
    }
    template <class F>
    void attach(F&& f) {
        f();
    }
    // Threads down to the depth where there are four parts a worker, plain calls below.
    template <class F, class G>
    static auto join(F&& f, G&& g) {
        const int level = depth();
        if ((1 << level) >= limit() * 4 || limit() == 1) {
            auto left = f();
            auto right = g();
            return std::pair(left, right);
        }
        auto later = std::async(std::launch::async, [&g, level] {
            depth() = level + 1;
            return g();
        });
        depth() = level + 1;
        auto left = f();
        depth() = level;
        return std::pair(left, later.get());
    }
    template <class F>
    static auto fork_n(int count, F&& f) {
        decltype(f(0)) sum{};
        for (int index = 0; index < count; ++index) sum += f(index);
        return sum;
    }
    // Even costs: a part a worker. Differing costs: eight, all running at once.
    template <class F>
    void for_range(std::size_t count, LoopCost cost, F&& body) {
        const auto parts = static_cast<std::size_t>(workers_ == 1 ? 1 : workers_ * (cost == LoopCost::rising ? 8 : 1));
        std::vector<std::future<void>> others;
        for (std::size_t part = 1; part < parts; ++part) {
            others.push_back(std::async(std::launch::async, [&body, count, part, parts] {
                body(count * part / parts, count * (part + 1) / parts);
            }));
        }
        body(std::size_t{0}, count / parts);
        for (std::future<void>& other : others) other.get();
    }
    template <class F>
    void batch(int count, F&& job) {
        for (int index = 0; index < count; ++index) job(index);
    }
    // A sorted part a worker, then merges.
    void sort(std::vector<std::uint64_t>& keys) { sort_part(keys.begin(), keys.end(), workers_); }
    void spawn_empty(int) {}
    template <class F>
    void hand_over(F&& job) {
        last_ = std::async(std::launch::async, std::forward<F>(job));
    }
    template <class F>
    void outside(F&& f) {
        f();
    }
    template <class F>
    void flood(int, F) {}
    template <class F>
    int submit_wait(F job) {
        return std::async(std::launch::async, job).get();
    }
    template <class F>
    int submit_ready(F job) {
        std::future<int> result = std::async(std::launch::async, job);
        while (result.wait_for(std::chrono::seconds(0)) != std::future_status::ready) relax();
        return result.get();
    }

  private:
    using Iterator = std::vector<std::uint64_t>::iterator;

    static void sort_part(Iterator first, Iterator last, int threads) {
        if (threads <= 1) return std::sort(first, last);
        const Iterator middle = first + (last - first) * (threads / 2) / threads;
        auto later = std::async(std::launch::async, [=] { sort_part(middle, last, threads - threads / 2); });
        sort_part(first, middle, threads / 2);
        later.get();
        std::inplace_merge(first, middle, last);
    }
    static int& depth() {
        thread_local int level = 0;
        return level;
    }
    static int& limit() {
        static int workers = 1;
        return workers;
    }

    int workers_;
    std::future<void> last_;
};

}  // namespace quarry::bench
