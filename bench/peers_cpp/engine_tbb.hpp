#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "jobs/fork_by_join.hpp"
#include "jobs/rows/loops.hpp"
#include "jobs/rows/submit.hpp"
#include "jobs/rows/then.hpp"
#include "peers_cpp/channel_tbb.hpp"
#include "peers_cpp/lanes_tbb.hpp"

namespace quarry::bench {

class TbbEngine {
  public:
    using Channel = TbbChannel;
    using Lanes = TbbLanes;

    TbbEngine(int workers, bool caller_apart)
        : limit_(tbb::global_control::max_allowed_parallelism,
                 static_cast<std::size_t>(workers + (caller_apart ? 1 : 0))),
          arena_(workers + (caller_apart ? 1 : 0)) {
        arena_.initialize();
    }

    static const char* unsupported(std::string_view, int) { return nullptr; }

    template <class F>
    void enter(F&& f) {
        arena_.execute(std::forward<F>(f));
    }
    template <class F>
    void attach(F&& f) {
        arena_.execute(std::forward<F>(f));
    }
    template <class F, class G>
    static auto join(F&& f, G&& g) {
        decltype(f()) left{};
        decltype(g()) right{};
        tbb::task_group group;
        group.run([&right, &g] { right = g(); });
        left = f();
        group.wait();
        return std::pair(left, right);
    }
    template <class F>
    static auto fork_n(int count, F&& f) {
        if (count < 2) return count == 0 ? decltype(f(0)){} : f(0);
        std::array<decltype(f(0)), kMaxFork> results;
        tbb::task_group group;
        for (int index = 1; index < count; ++index) {
            group.run([&results, &f, index] { results[static_cast<std::size_t>(index)] = f(index); });
        }
        decltype(f(0)) sum = f(0);
        group.wait();
        for (int index = 1; index < count; ++index) sum += results[static_cast<std::size_t>(index)];
        return sum;
    }
    template <class F>
    void for_range(std::size_t count, LoopCost, F&& body) {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count),
                          [&body](const tbb::blocked_range<std::size_t>& range) { body(range.begin(), range.end()); });
    }
    template <class F>
    void batch(int count, F&& job) {
        tbb::task_group group;
        for (int index = 0; index < count; ++index) group.run([&job, index] { job(index); });
        group.wait();
    }
    void sort(std::vector<std::uint64_t>& keys) { tbb::parallel_sort(keys.begin(), keys.end()); }
    void spawn_empty(int count) {
        tbb::task_group group;
        for (int job = 0; job < count; ++job) group.run([] {});
        group.wait();
    }
    template <class F>
    void hand_over(F&& job) {
        arena_.enqueue(std::forward<F>(job));
    }
    template <class F>
    void outside(F&& f) {
        f();
    }
    // By enqueue, which is made for threads outside, or as a group that the caller then helps with: whichever is
    // faster.
    template <class F>
    void flood(int count, F job) {
        tbb::task_group group;
        for (int index = 0; index < count; ++index) group.run(job);
        group.wait();
    }
    template <class F>
    int submit_wait(F job) {
        int result = 0;
        tbb::task_group group;
        group.run([&result, job] { result = job(); });
        group.wait();
        return result;
    }
    template <class F>
    int submit_ready(F job) {
        return poll_for([this](auto task) { arena_.enqueue(task); }, job);
    }
    // A node a link of a flow graph, to which no edge may be added while it runs: built, then run.
    std::uint64_t then_chain(std::uint64_t links) {
        using Link = tbb::flow::function_node<std::uint64_t, std::uint64_t>;
        std::uint64_t result = 0;
        arena_.execute([&] {
            tbb::flow::graph graph;
            std::deque<Link> chain;
            for (std::uint64_t link = 0; link < links; ++link) {
                chain.emplace_back(graph, tbb::flow::unlimited,
                                   [link](std::uint64_t value) { return chain_link(value, link); });
                if (link > 0) tbb::flow::make_edge(chain[link - 1], chain[link]);
            }
            tbb::flow::function_node<std::uint64_t> end(graph, tbb::flow::unlimited,
                                                        [&result](std::uint64_t value) { result = value; });
            tbb::flow::make_edge(chain.back(), end);
            chain.front().try_put(0);
            graph.wait_for_all();
        });
        return result;
    }

  private:
    tbb::global_control limit_;
    tbb::task_arena arena_;
};

}  // namespace quarry::bench
