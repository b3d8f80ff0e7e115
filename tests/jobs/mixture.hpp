#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "quarry/jobs/join.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/parallel_map.hpp"
#include "quarry/jobs/parallel_reduce.hpp"
#include "quarry/jobs/parallel_scan.hpp"
#include "quarry/jobs/parallel_sort.hpp"
#include "quarry/jobs/scope.hpp"
#include "quarry/jobs/worker_local.hpp"
#include "tests/jobs/stress_support.hpp"
#include "tests/jobs/support.hpp"

namespace quarry::test_support {

// What a mixture does, whatever the schedule.
struct MixtureCounts {
    std::uint64_t ran = 0;     // nodes of the tree
    std::uint64_t caught = 0;  // errors that reached the one who waits
    std::uint64_t local = 0;   // additions to per-worker storage
};

// A binary tree of operations: a node runs its two children by an operation that its seed chooses. The same seed gives
// the same tree on any schedule.
class Mixture {
  public:
    Mixture(Pool& pool, Pool& other) : pool_(pool), other_(other), local_(pool), other_local_(other) {}

    // Counts in advance what run() will do.
    void plan(std::uint64_t seed, int depth) {
        ++planned_.ran;
        if (depth == 0) return;
        planned_.caught += kind_of(seed).caught;
        planned_.local += kind_of(seed).local;
        plan(child(seed, 1), depth - 1);
        plan(child(seed, 2), depth - 1);
    }
    const MixtureCounts& planned() const { return planned_; }

    // Within a job or scope of one of the pools.
    void run(std::uint64_t seed, int depth) {
        ran_.fetch_add(1, std::memory_order_relaxed);
        if (depth == 0) {
            if (seed % 4 == 0) spin_for(std::chrono::nanoseconds(seed % 2000));
            return;
        }
        const Pair pair{*this, child(seed, 1), child(seed, 2), depth - 1};
        try {
            (this->*kind_of(seed).operation)(pair);
        } catch (const Thrown&) {
            caught_.fetch_add(1, std::memory_order_relaxed);
        }
    }
    // When nothing runs any more.
    MixtureCounts happened() {
        std::uint64_t local = 0;
        for (WorkerLocal<std::uint64_t>* const each : {&local_, &other_local_}) {
            each->for_each([&](std::uint64_t mine) { local += mine; });
        }
        return {ran_.load(), caught_.load(), local};
    }
    // Results of operations that were not what they must be.
    std::uint64_t wrong() const { return wrong_.load(); }

  private:
    // The children of a node.
    struct Pair {
        Mixture& mixture;
        std::uint64_t a;
        std::uint64_t b;
        int depth;

        void first() const { mixture.run(a, depth); }
        void second() const { mixture.run(b, depth); }
    };

    // Runs the children within the first two calls of an operation's callable, whoever makes them and in whichever
    // order. One that is to fail throws when both children have run, so that none is left out.
    class TwoCalls {
      public:
        TwoCalls(const Pair& pair, bool fails) : pair_(pair), fails_(fails) {}

        void call() {
            if (calls_.load(std::memory_order_relaxed) >= 2) return;
            const int number = calls_.fetch_add(1);
            if (number >= 2) return;
            number == 0 ? pair_.first() : pair_.second();
            if (ended_.fetch_add(1) == 1 && fails_) throw Thrown();
        }

      private:
        const Pair pair_;
        const bool fails_;
        std::atomic<int> calls_{0};
        std::atomic<int> ended_{0};
    };

    struct Kind {
        void (Mixture::*operation)(const Pair&);
        std::uint64_t caught = 0;
        std::uint64_t local = 0;
    };
    static constexpr int kLocalAdditions = 20;

    static const Kind& kind_of(std::uint64_t seed) {
        static constexpr Kind kKinds[] = {
            {&Mixture::spawn},
            {&Mixture::spawn_crosswise},
            {&Mixture::spawn_with_results},
            {&Mixture::spawn_in_other_pool},
            {&Mixture::stop_scope},
            {&Mixture::errors_of_scope, 2},
            {&Mixture::fail_in_scope, 1},
            {&Mixture::join_both},
            {&Mixture::poll},
            {&Mixture::fail_in_join, 1},
            {&Mixture::submit},
            {&Mixture::try_submit},
            {&Mixture::loop<false>},
            {&Mixture::loop<true>, 1},
            {&Mixture::loop_of_ranges},
            {&Mixture::map<false>},
            {&Mixture::map<true>, 1},
            {&Mixture::chunks},
            {&Mixture::reduce<false>},
            {&Mixture::reduce<true>, 1},
            {&Mixture::scan<false>},
            {&Mixture::scan<true>, 1},
            {&Mixture::sort<false>},
            {&Mixture::sort<true>, 1},
            {&Mixture::worker_local, 0, kLocalAdditions},
        };
        return kKinds[seed % std::size(kKinds)];
    }
    static std::uint64_t child(std::uint64_t seed, std::uint64_t which) {
        std::uint64_t x = seed * 0x9e3779b97f4a7c15ULL + which * 0xbf58476d1ce4e5b9ULL;
        x ^= x >> 29;
        x *= 0x94d049bb133111ebULL;
        return x ^ (x >> 32);
    }
    static Pool& here() { return *Pool::current(); }
    void require(bool right) {
        if (!right) wrong_.fetch_add(1, std::memory_order_relaxed);
    }

    void spawn(const Pair& pair) {
        here().scope([&](Scope& scope) {
            scope.spawn([&] { pair.first(); });
            scope.spawn([&] { scope.spawn([&] { pair.second(); }); });
        });
    }
    // The jobs of one scope spawn into another one.
    void spawn_crosswise(const Pair& pair) {
        here().scope([&](Scope& outer) {
            here().scope([&](Scope& inner) { inner.spawn([&] { outer.spawn([&] { pair.first(); }); }); });
            pair.second();
        });
    }
    void spawn_with_results(const Pair& pair) {
        ScopeResult<std::unique_ptr<int>> kept;
        here().scope([&](Scope& scope) {
            scope.spawn([&] {  // and drops the result
                pair.first();
                return std::make_unique<int>(1);
            });
            kept = scope.spawn([&] {
                pair.second();
                return std::make_unique<int>(2);
            });
        });
        require(kept.has_value() && **kept == 2);
    }
    void spawn_in_other_pool(const Pair& pair) {
        Pool& target = Pool::current() == &pool_ ? other_ : pool_;
        target.scope([&](Scope& scope) {
            scope.spawn([&] { pair.first(); });
            pair.second();
        });
    }
    // A job asks for the stop while others start; those that are spawned after it never do.
    void stop_scope(const Pair& pair) {
        std::stop_source source;
        ScopeResult<int> before[3];
        ScopeResult<int> after;
        std::atomic<int> ran{0};
        here().scope(
            [&](Scope& scope) {
                scope.spawn([&] {
                    pair.first();
                    source.request_stop();
                    after = scope.spawn([&] { return ++ran; });
                });
                for (ScopeResult<int>& each : before) each = scope.spawn([&] { return ++ran; });
                pair.second();
            },
            ScopeOptions{.stop_token = source.get_token()});
        const auto ended =
            std::count_if(std::begin(before), std::end(before), [](auto& one) { return one.has_value(); });
        require(!after.has_value() && ended == ran);
    }
    void errors_of_scope(const Pair& pair) {
        std::vector<JobError> errors;
        here().scope(
            [&](Scope& scope) {
                scope.spawn([&] {
                    pair.first();
                    throw Thrown();
                });
                pair.second();
                throw Thrown();
            },
            ScopeOptions{.errors = &errors});
        caught_.fetch_add(errors.size(), std::memory_order_relaxed);
    }
    void fail_in_scope(const Pair& pair) {
        here().scope([&](Scope& scope) {
            scope.spawn([&] {
                pair.first();
                throw Thrown();
            });
            pair.second();
        });
    }

    void join_both(const Pair& pair) {
        join([&] { pair.first(); }, [&] { pair.second(); });
    }
    void poll(const Pair& pair) {
        const auto [a, b] = join(
            [&] {
                for (int i = 0; i < 4; ++i) {
                    spin_for(std::chrono::nanoseconds(pair.a % 512));
                    poll_point();
                }
                pair.first();
                return 1;
            },
            [&] {
                poll_point();
                pair.second();
                poll_point();
                return 2;
            });
        require(a == 1 && b == 2);
    }
    void fail_in_join(const Pair& pair) {
        join([&] { pair.first(); },
             [&] {
                 pair.second();
                 throw Thrown();
             });
    }

    void submit(const Pair& pair) {
        const SubmitOptions options{.lane = pair.a % 2 == 0 ? Lane::frame : Lane::background,
                                    .priority = static_cast<Priority>(pair.b % 4)};
        Task<void> first = here().submit([&] { pair.first(); });
        Task<int> second = here().submit(
            [&] {
                pair.second();
                return 2;
            },
            options);
        require(second.get() == 2);
        first.wait();
    }
    void try_submit(const Pair& pair) {
        auto second = here().try_submit([&] { pair.second(); });
        pair.first();
        second ? second->get() : pair.second();
    }

    template <bool kFails>
    void loop(const Pair& pair) {
        TwoCalls calls(pair, kFails);
        parallel_for(here(), 0, 2, [&](int) { calls.call(); });
    }
    void loop_of_ranges(const Pair& pair) {
        constexpr std::size_t kLength = 60;
        std::atomic<std::size_t> visited{0};
        parallel_for(here(), std::size_t{0}, kLength, [&](IndexRange range) {
            visited += range.size();
            if (range.first == 0) pair.first();
            if (range.last == kLength) pair.second();
        });
        require(visited == kLength);
    }

    template <bool kFails>
    void map(const Pair& pair) {
        TwoCalls calls(pair, kFails);
        const auto results = parallel_map(here(), std::vector<int>{1, 2, 3, 4, 5}, [&](int i) {
            calls.call();
            return std::make_unique<int>(2 * i);
        });
        for (std::size_t i = 0; i < 5; ++i) require(results[i] && *results[i] == 2 * static_cast<int>(i + 1));
    }
    void chunks(const Pair& pair) {
        TwoCalls calls(pair, false);
        const std::vector<int> numbers(10 + pair.a % 20, 1);
        const auto lengths = chunk_map(here(), numbers, 3, [&](auto chunk) {
            calls.call();
            return std::accumulate(chunk.begin(), chunk.end(), std::size_t{0});
        });
        require(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}) == numbers.size());
    }
    template <bool kFails>
    void reduce(const Pair& pair) {
        TwoCalls calls(pair, kFails);
        const std::uint64_t length = 2 + pair.a % 60;
        const auto map_one = [&](std::uint64_t i) {
            calls.call();
            return i;
        };
        const std::uint64_t sum =
            parallel_reduce(here(), std::uint64_t{0}, length, std::uint64_t{0}, map_one, std::plus<>());
        require(sum == length * (length - 1) / 2);
    }
    template <bool kFails>
    void scan(const Pair& pair) {
        pair.a % 2 == 0 ? scan_of<std::uint64_t, kFails>(pair) : scan_of<double, kFails>(pair);
    }
    template <class T, bool kFails>
    void scan_of(const Pair& pair) {
        TwoCalls calls(pair, kFails);
        std::vector<T> numbers(17 + pair.b % 150, T(1));
        parallel_scan(here(), numbers, numbers, T(0), [&](T a, T b) {
            calls.call();
            return a + b;
        });
        for (std::size_t i = 0; i < numbers.size(); ++i) require(numbers[i] == static_cast<T>(i + 1));
    }
    // Long enough to be shared only high up in the tree: an order that is watched by the sanitizer takes its time.
    template <bool kFails>
    void sort(const Pair& pair) {
        TwoCalls calls(pair, kFails);
        std::vector<std::uint32_t> numbers(pair.depth >= 7 ? 2'200 : 20 + pair.b % 100);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = static_cast<std::uint32_t>(child(pair.a, i) % 1000);
        const std::uint64_t sum = std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
        const auto is_same = [&] { return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}) == sum; };
        try {
            parallel_sort(here(), numbers, [&](std::uint32_t a, std::uint32_t b) {
                calls.call();
                return a < b;
            });
            require(std::is_sorted(numbers.begin(), numbers.end()) && is_same());
        } catch (const Thrown&) {
            require(is_same());
            throw;
        }
    }

    void worker_local(const Pair& pair) {
        Pool& pool = here();
        WorkerLocal<std::uint64_t>& local = &pool == &pool_ ? local_ : other_local_;
        parallel_for(pool, 0, kLocalAdditions, [&](int i) {
            // Not kept across what may run others on this thread.
            ++local.local();
            if (i == 0) pair.first();
            if (i == kLocalAdditions - 1) pair.second();
        });
    }

    Pool& pool_;
    Pool& other_;
    WorkerLocal<std::uint64_t> local_;
    WorkerLocal<std::uint64_t> other_local_;
    MixtureCounts planned_;
    std::atomic<std::uint64_t> ran_{0};
    std::atomic<std::uint64_t> caught_{0};
    std::atomic<std::uint64_t> wrong_{0};
};

}  // namespace quarry::test_support
