// Random mixtures of all verbs of Task, in all lanes and at all priorities, from a seed that is logged (see
// stress_test.cpp): every accepted job ends in exactly one way, and the counters say in which (R4, R6).
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/when_all.hpp"
#include "tests/jobs/stress_support.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace test_support;

constexpr int kUsers = 8;

// What became of one job, as its callable saw it.
struct Record {
    std::atomic<int> ran{0};
};

// What all users together have seen, to be compared with the pool's own figures.
struct Ledger {
    std::atomic<std::uint64_t> accepted{0};
    std::atomic<std::uint64_t> thrown{0};
    std::atomic<std::uint64_t> errors_taken{0};
    std::atomic<std::uint64_t> errors_reported{0};
    std::atomic<std::uint64_t> wrong{0};

    void require(bool right) {
        if (!right) ++wrong;
    }
};

struct Held {
    Task<int> task;
    Record* record = nullptr;
};

// The verbs of one Task, with what must be true after each.
class Verbs {
  public:
    explicit Verbs(Ledger& ledger) : ledger_(ledger) {}

    void cancel(Held& held) {
        if (!held.task.cancel()) return;
        ledger_.require(held.task.ready());
        take(held, true);
    }
    // The outcome, and whether the callable ran as that demands.
    void take(Held& held, bool cancelled = false) {
        const int ran_before = held.record->ran;
        try {
            const int value = held.task.get();
            ledger_.require(!cancelled && value >= 0 && held.record->ran == 1);
        } catch (const Cancelled&) {
            ledger_.require(held.record->ran == 0);
        } catch (const Thrown&) {
            ++ledger_.errors_taken;
            ledger_.require(!cancelled && held.record->ran <= 1);
        }
        ledger_.require(ran_before <= 1 && !held.task.valid());
    }
    // Counts it, and throws if it is to throw.
    auto callable(Record& record, bool throws) {
        return [&ledger = ledger_, &record, throws](auto&&...) {
            ++record.ran;
            if (throws) {
                ++ledger.thrown;
                throw Thrown();
            }
            return 1;
        };
    }

  private:
    Ledger& ledger_;
};

class User {
  public:
    User(Pool& pool, Ledger& ledger, std::deque<Record>& records, std::uint64_t seed)
        : pool_(pool), ledger_(ledger), records_(records), verbs_(ledger), random_(seed) {}

    void run(int steps) {
        for (int i = 0; i < steps; ++i) step();
        while (!held_.empty()) {
            Held held = pick();
            if (random_() % 3 != 0) verbs_.take(held);
        }
    }

  private:
    void step() {
        switch (random_() % 10) {
            case 0:
                if (!held_.empty()) verbs_.cancel(any());
                break;
            case 1:
                if (!held_.empty()) any().task.raise(random_priority());
                break;
            case 2:
                continue_one();
                break;
            case 3:
                gather_three();
                break;
            case 4:
                if (!held_.empty()) pick();  // dropped
                break;
            case 5:
                if (!held_.empty()) {
                    Held held = pick();
                    verbs_.take(held);
                }
                break;
            case 6:
                stop_.request_stop();
                stop_ = std::stop_source();
                break;
            default:
                submit_one();
        }
        std::erase_if(held_, [](const Held& held) { return !held.task.valid(); });
    }

    void submit_one() {
        Record& record = records_.emplace_back();
        const bool throws = random_() % 8 == 0;
        SubmitOptions options{.lane = random_lane(kLanes), .priority = random_priority(), .stop_token = {}, .name = ""};
        if (random_() % 4 == 0) options.stop_token = stop_.get_token();
        auto plain = verbs_.callable(record, throws);
        if (random_() % 3 == 0) {
            auto nested = [this, plain, seed = random_()]() mutable {
                use_pool_inside(seed);
                return plain();
            };
            accept(pool_.submit(std::move(nested), options), record);
        } else if (random_() % 2 == 0) {
            accept(pool_.submit(plain, options), record);
        } else if (std::optional<Task<int>> task = pool_.try_submit(plain, options)) {
            accept(std::move(*task), record);
        }
    }
    void accept(Task<int> task, Record& record) {
        ++ledger_.accepted;
        held_.push_back({std::move(task), &record});
    }

    // Inside a job: children that nobody outside knows. A job of the host's thread must not wait for another one
    // there, nor for one that would.
    void use_pool_inside(std::uint64_t seed) {
        std::mt19937_64 random(seed);
        auto ran = std::make_shared<std::atomic<int>>(0);
        const auto lane = static_cast<Lane>(random() % (Pool::current_lane() == Lane::host ? kLanes - 1 : kLanes));
        const SubmitOptions options{
            .lane = lane, .priority = static_cast<Priority>(random() % 4), .stop_token = {}, .name = ""};
        Task<int> child = pool_.submit([ran] { return ++*ran; }, options);
        ++ledger_.accepted;
        switch (random() % 4) {
            case 0:
                ledger_.require(child.get() == 1);
                break;
            case 1:
                ledger_.require(child.cancel() ? *ran == 0 : child.get() == 1);
                break;
            case 2: {
                Task<int> next = std::move(child).then([](int value) { return value + 1; });
                ++ledger_.accepted;
                next.raise(Priority::urgent);
                ledger_.require(next.get() == 2);
                break;
            }
            default:
                break;
        }
    }

    void continue_one() {
        if (held_.empty()) return;
        Held held = pick();
        Record& record = records_.emplace_back();
        accept(std::move(held.task).then(verbs_.callable(record, random_() % 8 == 0)), record);
    }
    void gather_three() {
        if (held_.size() < 3) return;
        std::vector<Task<int>> tasks;
        for (int i = 0; i < 3; ++i) tasks.push_back(pick().task);
        Record& record = records_.emplace_back();
        auto all = when_all(std::move(tasks));
        ++ledger_.accepted;
        if (random_() % 6 == 0) all.cancel();
        accept(std::move(all).then(verbs_.callable(record, false)), record);
    }

    Held& any() { return held_[random_() % held_.size()]; }
    Held pick() {
        std::swap(any(), held_.back());
        Held held = std::move(held_.back());
        held_.pop_back();
        return held;
    }
    Priority random_priority() { return static_cast<Priority>(random_() % kPriorities); }
    Lane random_lane(int lanes) { return static_cast<Lane>(random_() % static_cast<std::uint64_t>(lanes)); }

    Pool& pool_;
    Ledger& ledger_;
    std::deque<Record>& records_;
    Verbs verbs_;
    std::mt19937_64 random_;
    std::stop_source stop_;
    std::vector<Held> held_;
};

void expect_to_add_up(const Ledger& ledger, const PoolStats& stats) {
    const WorkerStats& total = stats.total;
    EXPECT_EQ(ledger.wrong.load(), 0U);
    EXPECT_EQ(total.spawned, ledger.accepted.load());
    EXPECT_EQ(total.spawned, total.completed + total.failed + total.cancelled);
}

void run_users(Pool& pool, Ledger& ledger, std::array<std::deque<Record>, kUsers>& records, std::uint64_t seed) {
    std::atomic<int> busy{kUsers};
    std::deque<User> users;  // until all jobs have ended: those that were dropped still use them
    for (std::size_t i = 0; i < kUsers; ++i) users.emplace_back(pool, ledger, records[i], seed * kUsers + i);
    std::vector<std::jthread> threads;
    for (User& user : users) {
        threads.emplace_back([&] {
            user.run(static_cast<int>(scaled(400, 8)));
            --busy;
        });
    }
    // This thread is the host's.
    EXPECT_TRUE(eventually([&] {
        pool.run_host_jobs(5);
        const WorkerStats total = pool.stats().total;
        return busy == 0 && total.spawned == total.completed + total.failed + total.cancelled;
    }));
}

class TasksStress : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Capacity, TasksStress, testing::Values(1, 3, 10'000));

TEST_P(TasksStress, EveryAcceptedJobEndsInExactlyOneWay) {
    for_each_seed("tasks", [&](std::uint64_t seed) {
        std::array<std::deque<Record>, kUsers> records;
        Ledger ledger;
        {
            Pool pool(PoolOptions{.workers = static_cast<int>(number_from_environment("QUARRY_STRESS_WORKERS", 8)),
                                  .io_threads = 2,
                                  .reserved_for_frame = seed % 2 == 0 ? 1 : 0,
                                  .queue_capacity = GetParam(),
                                  .on_error = [&](const std::exception_ptr&) { ++ledger.errors_reported; }});
            run_users(pool, ledger, records, seed);
            expect_to_add_up(ledger, pool.stats());
        }
        for (const std::deque<Record>& of_user : records) {
            for (const Record& record : of_user) EXPECT_LE(record.ran.load(), 1);
        }
        // An error is handed on from task to task until somebody takes it, or the last of them reports it.
        EXPECT_EQ(ledger.thrown.load(), ledger.errors_taken + ledger.errors_reported);
    });
}

// Uses tasks of a pool that is being destroyed.
void use_until_the_end(std::vector<Held>& tasks, std::deque<Record>& records, Ledger& ledger, std::uint64_t seed) {
    Verbs verbs(ledger);
    std::mt19937_64 random(seed);
    for (Held& one : tasks) {
        if (random() % 4 == 0) one.task.raise(Priority::high);
        if (random() % 2 == 0) {
            Record& record = records.emplace_back();
            try {
                one = Held{std::move(one.task).then(verbs.callable(record, false)), &record};
            } catch (const Error&) {
                ledger.require(one.task.valid());
            }
        }
        if (random() % 4 == 0) {
            verbs.cancel(one);
        } else if (random() % 2 == 0) {
            verbs.take(one);
        }
        one.task = {};
    }
}

TEST(TasksAndPool, VerbsMeetTheEndOfThePool) {
    for_each_seed("end of the pool", [&](std::uint64_t seed) {
        std::mt19937_64 random(seed);
        for (std::size_t round = 0; round < scaled(10, 4); ++round) {
            std::array<std::deque<Record>, 4> records;
            std::array<std::vector<Held>, 4> held;
            Ledger ledger;
            Verbs verbs(ledger);
            auto pool = std::make_unique<Pool>(
                PoolOptions{.workers = 2, .on_error = [&](const std::exception_ptr&) { ++ledger.errors_reported; }});
            for (std::size_t i = 0; i < 40; ++i) {
                Record& record = records[i % 4].emplace_back();
                const auto lane = static_cast<Lane>(random() % 3);
                held[i % 4].push_back(
                    {pool->submit(verbs.callable(record, random() % 8 == 0), {.lane = lane}), &record});
            }
            std::vector<std::jthread> users;
            for (std::size_t i = 0; i < 4; ++i) {
                users.emplace_back(
                    [&, i, own_seed = random()] { use_until_the_end(held[i], records[i], ledger, own_seed); });
            }
            pool.reset();
            users.clear();
            EXPECT_EQ(ledger.wrong.load(), 0U);
            for (const std::deque<Record>& of_user : records) {
                for (const Record& record : of_user) EXPECT_LE(record.ran.load(), 1);
            }
            EXPECT_EQ(ledger.thrown.load(), ledger.errors_taken + ledger.errors_reported);
        }
    });
}

}  // namespace
}  // namespace quarry
