#include "jobs/queue/bounded_queue.hpp"

#include "jobs/atomics/policy.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::impl {
namespace {

struct Item {
    std::uint64_t number = 0;
    std::size_t pusher = 0;
    std::atomic<int> popped{0};
};
using ItemQueue = BoundedQueue<DefaultAtomics, Item*>;

constexpr std::uint64_t kLastLap = (std::uint64_t{1} << 44) - 1;
#if defined(QUARRY_THREAD_SANITIZER)
constexpr std::size_t kItems = 20'000;
#else
constexpr std::size_t kItems = 100'000;
#endif

class BoundedQueueOf : public testing::TestWithParam<std::size_t> {};

// R7, R14: exactly the capacity is accepted, whatever it is.
TEST_P(BoundedQueueOf, AcceptsExactlyItsCapacityAndGivesItBackInOrder) {
    const std::size_t capacity = GetParam();
    for (const std::uint64_t first_lap : {std::uint64_t{0}, kLastLap - 1}) {
        ItemQueue queue(capacity, first_lap);
        std::vector<Item> items(capacity + 1);
        for (int lap = 0; lap < 4; ++lap) {
            EXPECT_TRUE(queue.looks_empty());
            EXPECT_EQ(queue.try_pop(), nullptr);
            for (std::size_t i = 0; i < capacity; ++i) {
                ASSERT_TRUE(queue.try_push(&items[i]));
                ASSERT_EQ(queue.size_hint(), i + 1);
            }
            EXPECT_FALSE(queue.try_push(&items[capacity]));
            EXPECT_FALSE(queue.looks_empty());
            for (std::size_t i = 0; i < capacity; ++i) ASSERT_EQ(queue.try_pop(), &items[i]);
        }
    }
}

// Half full at all times, so that no lap begins at the first slot.
TEST_P(BoundedQueueOf, GoesRoundFromAnyIndex) {
    const std::size_t capacity = GetParam();
    ItemQueue queue(capacity);
    std::vector<Item> items(4 * capacity);
    std::size_t popped = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        ASSERT_TRUE(queue.try_push(&items[i]));
        if (queue.size_hint() <= capacity / 2) continue;
        ASSERT_EQ(queue.try_pop(), &items[popped++]);
    }
    while (Item* item = queue.try_pop()) ASSERT_EQ(item, &items[popped++]);
    EXPECT_EQ(popped, items.size());
}

INSTANTIATE_TEST_SUITE_P(Capacity, BoundedQueueOf, testing::Values(1, 2, 3, 4, 7, 64, 100, 1000, 10'000));

TEST(BoundedQueue, RejectsACapacityOutOfRange) {
    EXPECT_THROW(ItemQueue(0), std::invalid_argument);
    EXPECT_THROW(ItemQueue((std::size_t{1} << 20) + 1), std::invalid_argument);
    ItemQueue largest(std::size_t{1} << 20);
    EXPECT_EQ(largest.capacity(), std::size_t{1} << 20);
}

TEST(BoundedQueue, BatchTakesWhatIsThereAndNoMoreThanAskedFor) {
    ItemQueue queue(5);
    std::vector<Item> items(5);
    for (int round = 0; round < 3; ++round) {
        for (Item& item : items) ASSERT_TRUE(queue.try_push(&item));
        std::array<Item*, 8> out{};
        EXPECT_EQ(queue.try_pop_batch(out.data(), 0), 0U);
        ASSERT_EQ(queue.try_pop_batch(out.data(), 2), 2U);
        EXPECT_EQ(out[1], &items[1]);
        ASSERT_EQ(queue.try_pop_batch(out.data(), out.size()), 3U);
        EXPECT_EQ(out[0], &items[2]);
        EXPECT_EQ(out[2], &items[4]);
        EXPECT_EQ(queue.try_pop_batch(out.data(), out.size()), 0U);
    }
}

struct Traffic {
    std::size_t pushers;
    std::size_t poppers;
    std::size_t capacity;
    std::size_t batch;
};

class BoundedQueueStress : public testing::TestWithParam<Traffic> {};

// Every item arrives once, and those of one pusher arrive at one popper in the order in which they were
// pushed.
TEST_P(BoundedQueueStress, LosesNothingAndKeepsTheOrderOfEachPusher) {
    const Traffic traffic = GetParam();
    const std::size_t share = kItems / traffic.pushers;
    std::vector<Item> items(share * traffic.pushers);
    ItemQueue queue(traffic.capacity);
    std::atomic<std::size_t> arrived{0};
    std::atomic<std::size_t> out_of_order{0};
    std::vector<std::thread> threads;
    for (std::size_t pusher = 0; pusher < traffic.pushers; ++pusher) {
        threads.emplace_back([&, pusher] {
            for (std::size_t i = 0; i < share; ++i) {
                Item& item = items[pusher * share + i];
                item.pusher = pusher;
                item.number = i + 1;
                while (!queue.try_push(&item)) std::this_thread::yield();
            }
        });
    }
    for (std::size_t popper = 0; popper < traffic.poppers; ++popper) {
        threads.emplace_back([&] {
            std::vector<std::uint64_t> last(traffic.pushers, 0);
            std::vector<Item*> batch(traffic.batch);
            while (arrived < items.size()) {
                const std::size_t count = queue.try_pop_batch(batch.data(), batch.size());
                if (count == 0) std::this_thread::yield();
                for (std::size_t i = 0; i < count; ++i) {
                    Item& item = *batch[i];
                    if (item.number <= last[item.pusher]) ++out_of_order;
                    last[item.pusher] = item.number;
                    ++item.popped;
                }
                arrived += count;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(out_of_order, 0U);
    EXPECT_EQ(arrived, items.size());
    for (const Item& item : items) ASSERT_EQ(item.popped, 1);
    EXPECT_TRUE(queue.looks_empty());
}

INSTANTIATE_TEST_SUITE_P(Traffic, BoundedQueueStress,
                         testing::Values(Traffic{1, 1, 64, 1}, Traffic{4, 4, 64, 1}, Traffic{2, 2, 1, 1},
                                         Traffic{3, 3, 3, 2}, Traffic{4, 2, 1000, 32}));

}  // namespace
}  // namespace quarry::impl
