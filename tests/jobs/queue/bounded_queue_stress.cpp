#include "jobs/queue/bounded_queue.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/impl/atomics.hpp"
#include "tests/jobs/stress_support.hpp"
#include "tests/jobs/support.hpp"

namespace quarry::impl {
namespace {

using namespace test_support;

struct Item {
    std::uint64_t number = 0;
    std::size_t pusher = 0;
    std::atomic<int> popped{0};
};
using ItemQueue = BoundedQueue<DefaultAtomics, Item*>;

constexpr std::size_t kItems = scaled(100'000, 40);

struct Traffic {
    std::size_t pushers;
    std::size_t poppers;
    std::size_t capacity;
    std::size_t batch;  // most that are popped at once
};

void carry_items(const Traffic& traffic, std::uint64_t seed) {
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
        threads.emplace_back([&, popper] {
            std::minstd_rand random(static_cast<std::uint32_t>(seed + popper));
            std::vector<std::uint64_t> last(traffic.pushers, 0);
            std::vector<Item*> batch(traffic.batch);
            while (arrived < items.size()) {
                const std::size_t count = queue.try_pop_batch(batch.data(), 1 + random() % batch.size());
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

class BoundedQueueStress : public testing::TestWithParam<Traffic> {};

// Every item arrives once, and those of one pusher arrive at one popper in the order in which they were
// pushed.
TEST_P(BoundedQueueStress, LosesNothingAndKeepsTheOrderOfEachPusher) {
    for_each_seed("bounded queue", [](std::uint64_t seed) { carry_items(GetParam(), seed); });
}

INSTANTIATE_TEST_SUITE_P(Traffic, BoundedQueueStress,
                         testing::Values(Traffic{1, 1, 64, 1}, Traffic{4, 4, 64, 1}, Traffic{2, 2, 1, 1},
                                         Traffic{3, 3, 3, 2}, Traffic{4, 2, 1000, 32}));

}  // namespace
}  // namespace quarry::impl
