#include "jobs/queue/bounded_queue.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {
namespace {

struct Cargo {};
using ItemQueue = BoundedQueue<DefaultAtomics, Cargo*>;

Cargo* pop(ItemQueue& queue) {
    Cargo* item = nullptr;
    (void)queue.try_pop_batch(&item, 1);
    return item;
}

constexpr std::uint64_t kLastLap = (std::uint64_t{1} << 44) - 1;
class BoundedQueueOf : public testing::TestWithParam<std::size_t> {};

// R7, R14: exactly the capacity is accepted, whatever it is.
TEST_P(BoundedQueueOf, AcceptsExactlyItsCapacityAndGivesItBackInOrder) {
    const std::size_t capacity = GetParam();
    for (const std::uint64_t first_lap : {std::uint64_t{0}, kLastLap - 1}) {
        ItemQueue queue(capacity, first_lap);
        std::vector<Cargo> items(capacity + 1);
        for (int lap = 0; lap < 4; ++lap) {
            EXPECT_TRUE(queue.looks_empty());
            EXPECT_EQ(pop(queue), nullptr);
            for (std::size_t i = 0; i < capacity; ++i) ASSERT_TRUE(queue.try_push(&items[i]));
            EXPECT_FALSE(queue.try_push(&items[capacity]));
            EXPECT_FALSE(queue.looks_empty());
            for (std::size_t i = 0; i < capacity; ++i) ASSERT_EQ(pop(queue), &items[i]);
        }
    }
}

// Half full at all times, so that no lap begins at the first slot.
TEST_P(BoundedQueueOf, GoesRoundFromAnyIndex) {
    const std::size_t capacity = GetParam();
    ItemQueue queue(capacity);
    std::vector<Cargo> items(4 * capacity);
    std::size_t popped = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        ASSERT_TRUE(queue.try_push(&items[i]));
        if (i + 1 - popped <= capacity / 2) continue;
        ASSERT_EQ(pop(queue), &items[popped++]);
    }
    while (Cargo* item = pop(queue)) ASSERT_EQ(item, &items[popped++]);
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
    std::vector<Cargo> items(5);
    for (int round = 0; round < 3; ++round) {
        for (Cargo& item : items) ASSERT_TRUE(queue.try_push(&item));
        std::array<Cargo*, 8> out{};
        EXPECT_EQ(queue.try_pop_batch(out.data(), 0), 0U);
        ASSERT_EQ(queue.try_pop_batch(out.data(), 2), 2U);
        EXPECT_EQ(out[1], &items[1]);
        ASSERT_EQ(queue.try_pop_batch(out.data(), out.size()), 3U);
        EXPECT_EQ(out[0], &items[2]);
        EXPECT_EQ(out[2], &items[4]);
        EXPECT_EQ(queue.try_pop_batch(out.data(), out.size()), 0U);
    }
}

}  // namespace
}  // namespace quarry::impl
