#include "quarry/frame/inbox.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "tests/jobs/stress_support.hpp"
#include "tests/jobs/support.hpp"

// No item is lost or delivered twice: 8 producers, tiny capacities, random budgets (R4, R5).
namespace quarry {
namespace {

using namespace std::chrono_literals;
using namespace test_support;

constexpr int kProducers = 8;

// Counts who was delivered how often.
struct Delivered {
    explicit Delivered(std::size_t count) : times(count) {}
    std::vector<std::uint8_t> times;
    std::size_t sum = 0;

    void operator()(std::uint32_t item) {
        ++times.at(item);
        ++sum;
    }
};

DeliveryBudget random_budget(std::mt19937_64& random) {
    switch (random() % 4) {
        case 0:
            return 0ns;
        case 1:
            return {1ms, 1 + static_cast<std::size_t>(random() % 3)};
        case 2:
            return std::chrono::microseconds(random() % 50);
        default:
            return DeliveryBudget::everything();
    }
}

class InboxStress : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Slots, InboxStress, testing::Values(1, 2, 3, 64));

TEST_P(InboxStress, ProducersThatPutThemselves) {
    constexpr std::size_t kItems = scaled(20'000, 40);
    for_each_seed("InboxStress.ProducersThatPutThemselves", [&](std::uint64_t seed) {
        Inbox<std::uint32_t> inbox({.slots = GetParam()});
        std::vector<std::thread> producers;
        for (std::size_t p = 0; p < kProducers; ++p) {
            producers.emplace_back([&, p] {
                std::mt19937_64 random(seed + p);
                for (std::size_t i = 0; i < kItems; ++i) {
                    InboxSlot<std::uint32_t> slot;
                    while (!(slot = inbox.try_take_slot())) std::this_thread::yield();
                    if (random() % 8 == 0) {
                        slot = {};
                        --i;
                        continue;
                    }
                    slot.put(static_cast<std::uint32_t>(p * kItems + i), static_cast<double>(random() % 4));
                }
            });
        }
        std::mt19937_64 random(seed);
        Delivered delivered(kProducers * kItems);
        while (delivered.sum < kProducers * kItems) {
            if (random() % 2 == 0) {
                inbox.deliver(random_budget(random), delivered);
            } else {
                inbox.deliver_until(
                    100us, [] { return false; }, delivered);
            }
        }
        for (std::thread& producer : producers) producer.join();
        inbox.deliver(1s, delivered);
        for (const std::uint8_t times : delivered.times) ASSERT_EQ(times, 1);
    });
}

// Producers submit jobs to a pool, cancel and raise some of them; callbacks throw now and then.
TEST_P(InboxStress, JobsThatAreRaisedAndCancelled) {
    constexpr std::size_t kJobs = scaled(4'000, 40);
    for_each_seed("InboxStress.JobsThatAreRaisedAndCancelled", [&](std::uint64_t seed) {
        std::atomic<std::size_t> given_up{0};
        std::atomic<int> running{kProducers};
        // A single worker has nobody who finds what it overlooks.
        Pool pool({.workers = seed % 2 == 0 || GetParam() == 1 ? 1 : 4, .queue_capacity = 64});
        Inbox<std::uint32_t> inbox({.slots = GetParam(), .on_error = [](const std::exception_ptr&) {}});
        std::vector<std::atomic<bool>> cancelled(kProducers * kJobs);
        std::vector<std::thread> producers;
        for (std::size_t p = 0; p < kProducers; ++p) {
            producers.emplace_back([&, p] {
                std::mt19937_64 random(seed + p);
                for (std::size_t i = 0; i < kJobs; ++i) {
                    const std::size_t item = p * kJobs + i;
                    InboxTask task = inbox.submit(pool, [item] { return static_cast<std::uint32_t>(item); },
                                                  {.lane = random() % 8 == 0 ? Lane::background : Lane::frame,
                                                   .priority = static_cast<Priority>(random() % 4)});
                    if (random() % 4 == 0) task.raise(static_cast<Priority>(random() % 4));
                    if (random() % 4 == 0 && task.cancel()) {
                        cancelled[item] = true;
                        ++given_up;
                    }
                }
                --running;
            });
        }
        std::mt19937_64 random(seed);
        Delivered delivered(kProducers * kJobs);
        const auto deliver = [&](std::uint32_t item) {
            if (random() % 64 == 0) throw Thrown();
            delivered(item);
        };
        while (running != 0 || delivered.sum + given_up < kProducers * kJobs) {
            try {
                inbox.deliver(random_budget(random), deliver);
            } catch (const Thrown&) {  // NOLINT(bugprone-empty-catch): the item comes again
            }
        }
        for (std::thread& producer : producers) producer.join();
        inbox.deliver(1s, delivered);
        for (std::size_t item = 0; item < delivered.times.size(); ++item) {
            ASSERT_EQ(delivered.times[item], cancelled[item] ? 0 : 1) << item;
        }
        ASSERT_TRUE(eventually([&] {
            const WorkerStats total = pool.stats().total;
            return total.spawned == total.completed + total.cancelled;
        }));
        EXPECT_EQ(pool.stats().total.cancelled, given_up);
        EXPECT_EQ(inbox.jobs_waiting(), 0U);
    });
}

// Inboxes and pools end in any order while jobs wait, run and are cancelled.
TEST(InboxLifeStress, EndsAtAnyTime) {
    for_each_seed("InboxLifeStress.EndsAtAnyTime", [&](std::uint64_t seed) {
        std::mt19937_64 random(seed);
        for (std::size_t round = 0; round < scaled(600, 40); ++round) {
            auto pool = std::make_unique<Pool>(static_cast<int>(1 + random() % 3));
            auto inbox = std::make_unique<Inbox<std::uint32_t>>(InboxOptions{.slots = 1 + random() % 3});
            std::vector<InboxTask> tasks;
            for (std::uint32_t i = 0; i < random() % 20; ++i) tasks.push_back(inbox->submit(*pool, [i] { return i; }));
            if (random() % 2 == 0) inbox->deliver(0ns, [](std::uint32_t) {});
            std::thread canceller([&tasks, chosen = random()] {
                for (std::size_t i = 0; i < tasks.size(); ++i) {
                    if ((chosen >> i & 1) != 0) tasks[i].cancel();
                }
            });
            std::thread ender([&] { pool.reset(); });
            if (random() % 2 == 0) inbox.reset();
            canceller.join();
            ender.join();
            for (const InboxTask& task : tasks) ASSERT_TRUE(task.ready());
        }
    });
}

}  // namespace
}  // namespace quarry
