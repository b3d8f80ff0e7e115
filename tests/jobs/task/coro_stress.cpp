// Coroutines that hop at random; the seeds are logged, see stress_test.cpp.
#include "quarry/jobs/coro.hpp"

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "tests/jobs/bookkeeping.hpp"
#include "tests/jobs/stress_support.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t salt) {
    std::uint64_t value = seed + (salt + 1) * 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

// A tree of coroutines in which each node counts itself once, whatever the schedule.
class Walk {
  public:
    Walk(Pool& pool, Pool& other) : pool_(pool), other_(other) {}

    // What a walk will give.
    static std::uint64_t planned(std::uint64_t seed, int depth) {
        std::uint64_t total = 1;
        for (std::uint64_t i = 0; i < children(seed, depth); ++i) {
            const std::uint64_t child = mix(seed, i);
            total += kind(child) >= kLeaves ? planned(child, depth - 1) : 1;
        }
        return total;
    }
    std::uint64_t ran() const { return ran_.load(); }

    // A thread that blocks may be the host's: what it waits for must not need that thread in another way.
    coro<std::uint64_t> walk(std::uint64_t seed, int depth, bool host_allowed) {
        ++ran_;
        std::uint64_t total = 1;
        for (std::uint64_t i = 0; i < children(seed, depth); ++i) {
            const std::uint64_t child = mix(seed, i);
            co_await pool_.schedule(lane_of(child, host_allowed), priority_of(child));
            EXPECT_EQ(Pool::current_lane(), lane_of(child, host_allowed));
            EXPECT_EQ(Pool::current(), &pool_);
            total += co_await visit(child, depth, host_allowed);
        }
        co_return total;
    }

  private:
    static constexpr std::uint64_t kLeaves = 2;
    static std::uint64_t children(std::uint64_t seed, int depth) { return depth == 0 ? 0 : 1 + seed % 3; }
    static std::uint64_t kind(std::uint64_t seed) { return (seed >> 16) % 6; }
    static Lane lane_of(std::uint64_t seed, bool host_allowed) {
        return static_cast<Lane>((seed >> 24) % (host_allowed ? 4 : 3));
    }
    static Priority priority_of(std::uint64_t seed) {
        return (seed >> 32) % 4 == 0 ? static_cast<Priority>((seed >> 40) % 4) : Priority::normal;
    }

    coro<std::uint64_t> fails() {
        ++ran_;
        co_await pool_.schedule(Lane::background);
        throw Thrown();
    }

    coro<std::uint64_t> visit(std::uint64_t seed, int depth, bool host_allowed) {
        SubmitOptions options;
        options.lane = lane_of(mix(seed, 77), host_allowed);
        switch (kind(seed)) {
            case 0:
                try {
                    co_return co_await fails();
                } catch (const Thrown&) {
                    co_return 1;
                }
            case 1:
                co_return co_await pool_.submit([this] { return static_cast<std::uint64_t>(++ran_ != 0); }, options);
            case 2:
                co_return co_await pool_.start(walk(seed, depth - 1, host_allowed), options);
            case 3:
                options.lane = Lane::frame;
                co_return pool_.start(walk(seed, depth - 1, false), options).get();
            case 4:
                co_await other_.schedule(Lane::frame);
                co_return co_await walk(seed, depth - 1, host_allowed);
            default:
                co_return co_await walk(seed, depth - 1, host_allowed);
        }
    }

    Pool& pool_;
    Pool& other_;
    std::atomic<std::uint64_t> ran_{0};
};

TEST(CoroStress, RandomHopsRunEverythingOnce) {
    for_each_seed("RandomHopsRunEverythingOnce", [](std::uint64_t seed) {
        Pool other(2);
        Pool pool(PoolOptions{.workers = 8, .reserved_for_frame = 1, .queue_capacity = seed % 2 == 0 ? 3U : 10'000U});
        Walk walk(pool, other);
        constexpr int kDepth = 6;
        std::vector<Task<std::uint64_t>> tasks;
        std::uint64_t planned = 0;
        for (std::uint64_t i = 0; i < scaled(40, 8); ++i) {
            planned += Walk::planned(mix(seed, i), kDepth);
            tasks.push_back(pool.start(walk.walk(mix(seed, i), kDepth, true)));
        }
        std::uint64_t given = 0;
        for (Task<std::uint64_t>& task : tasks) {
            ASSERT_TRUE(eventually([&] {
                pool.run_host_jobs();
                return task.ready();
            }));
            given += task.get();
        }
        EXPECT_EQ(given, planned);
        EXPECT_EQ(walk.ran(), planned);
        EXPECT_TRUE(adds_up(pool));
        EXPECT_TRUE(adds_up(other));
    });
}

struct Alive {
    explicit Alive(std::atomic<int>& all) : count(all) { ++count; }
    Alive(const Alive&) = delete;
    Alive& operator=(const Alive&) = delete;
    ~Alive() { --count; }
    std::atomic<int>& count;
};

TEST(CoroStress, StopsCancelsAndDropsLeaveNothingBehind) {
    for_each_seed("StopsCancelsAndDropsLeaveNothingBehind", [](std::uint64_t seed) {
        std::atomic<int> alive{0};
        Pool pool(8);
        const auto hops = [&](std::uint64_t random, std::stop_source source) -> coro<int> {
            const Alive local(alive);
            for (std::uint64_t i = 0; i < random % 20; ++i) {
                co_await pool.schedule(static_cast<Lane>(mix(random, i) % 3));
                if (i == 10) source.request_stop();
                co_await pool.submit([] {});
            }
            co_return 1;
        };
        int ended = 0;
        const auto rounds = static_cast<int>(scaled(2000, 20));
        for (int round = 0; round < rounds; ++round) {
            const std::uint64_t random = mix(seed, static_cast<std::uint64_t>(round));
            std::stop_source source;
            Task<int> task = pool.start(hops(random, source), SubmitOptions{.stop_token = source.get_token()});
            if ((random >> 20) % 4 == 0) continue;  // dropped
            if ((random >> 20) % 4 == 1) (void)task.cancel();
            if ((random >> 20) % 4 == 2) source.request_stop();
            try {
                ended += task.get();
            } catch (const Cancelled&) {
                ++ended;
            }
        }
        EXPECT_GT(ended, 0);
        EXPECT_TRUE(adds_up(pool));
        EXPECT_EQ(alive, 0);
        EXPECT_EQ(pool.stats().total.failed, 0U);
    });
}

}  // namespace
}  // namespace quarry
