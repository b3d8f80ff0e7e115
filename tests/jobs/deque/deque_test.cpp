#include "jobs/deque/deque.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {
namespace {

struct Item {
    std::uint64_t number = 0;
};
using ItemDeque = Deque<DefaultAtomics, Item*>;

std::vector<Item> numbered(std::size_t count) {
    std::vector<Item> items(count);
    for (std::size_t i = 0; i < count; ++i) items[i].number = i + 1;
    return items;
}

TEST(Deque, OwnerTakesTheYoungestAndThiefTheOldest) {
    ItemDeque deque;
    std::vector<Item> items = numbered(3);
    for (Item& item : items) deque.push(&item);
    EXPECT_EQ(deque.size_hint(), 3U);
    EXPECT_EQ(deque.pop(), &items[2]);
    const Steal<Item*> stolen = deque.steal();
    EXPECT_EQ(stolen.status, StealStatus::got);
    EXPECT_EQ(stolen.value, &items[0]);
    EXPECT_FALSE(deque.looks_empty());
    EXPECT_EQ(deque.pop(), &items[1]);
    EXPECT_EQ(deque.pop(), nullptr);
    EXPECT_EQ(deque.steal().status, StealStatus::empty);
    EXPECT_TRUE(deque.looks_empty());
}

TEST(Deque, RefusedEntryStays) {
    ItemDeque deque;
    Item item;
    deque.push(&item);
    const auto refused = deque.steal_if([](Item*) { return false; });
    EXPECT_EQ(refused.status, StealStatus::refused);
    EXPECT_EQ(refused.value, nullptr);
    EXPECT_EQ(deque.steal_if([&](Item* entry) { return entry == &item; }).value, &item);
}

// The race is made certain: a second thief comes while the first one is being asked.
TEST(Deque, LostRaceIsNotAnEmptyDeque) {
    ItemDeque deque;
    std::vector<Item> items = numbered(2);
    for (Item& item : items) deque.push(&item);
    const auto lost = deque.steal_if([&](Item*) { return deque.steal().status == StealStatus::got; });
    EXPECT_EQ(lost.status, StealStatus::lost);
    EXPECT_EQ(deque.size_hint(), 1U);
    const auto gone = deque.steal_if([&](Item*) { return deque.steal().status != StealStatus::got; });
    EXPECT_EQ(gone.status, StealStatus::lost) << "a refusal of an entry that is gone says nothing";
}

TEST(Deque, GrowsFromOneSlotAndKeepsTheOrder) {
    ItemDeque deque(1);
    std::vector<Item> items = numbered(1000);
    for (Item& item : items) deque.push(&item);
    EXPECT_EQ(deque.capacity(), 1024U);
    for (std::size_t i = 0; i < 500; ++i) ASSERT_EQ(deque.steal().value, &items[i]);
    for (std::size_t i = 1000; i > 500; --i) ASSERT_EQ(deque.pop(), &items[i - 1]);
    EXPECT_TRUE(deque.looks_empty());
}

TEST(Deque, UsesItsSlotsAgainInsteadOfGrowing) {
    ItemDeque deque(4);
    Item item;
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < 4; ++i) deque.push(&item);
        for (int i = 0; i < 4; ++i) ASSERT_EQ(deque.steal().value, &item);
    }
    EXPECT_EQ(deque.capacity(), 4U);
}

TEST(Deque, CountsOnlyDistancesSoThatIndicesMayWrap) {
    for (const std::uint64_t last : {std::numeric_limits<std::uint64_t>::max(),
                                     static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())}) {
        ItemDeque deque(2, last - 3);
        std::vector<Item> items = numbered(20);
        for (Item& item : items) deque.push(&item);
        EXPECT_EQ(deque.size_hint(), 20U);
        for (std::size_t i = 0; i < 10; ++i) {
            ASSERT_EQ(deque.steal().value, &items[i]);
            ASSERT_EQ(deque.pop(), &items[19 - i]);
        }
        EXPECT_TRUE(deque.looks_empty());
        EXPECT_EQ(deque.pop(), nullptr);
    }
}

TEST(Deque, ReservedRoomIsThere) {
    ItemDeque deque(2);
    Item item;
    deque.push(&item);
    deque.reserve(7);
    EXPECT_EQ(deque.capacity(), 8U);
    for (int i = 0; i < 7; ++i) deque.push(&item);
    EXPECT_EQ(deque.capacity(), 8U);
}

TEST(Deque, BatchTakesHalfRoundedUpAtMostTheLimitOldestFirst) {
    ItemDeque deque;
    ItemDeque mine;
    std::vector<Item> items = numbered(9);
    for (Item& item : items) deque.push(&item);
    const auto half = deque.steal_batch(mine, 32);
    EXPECT_EQ(half.status, StealStatus::got);
    EXPECT_EQ(half.taken, 5U);
    EXPECT_EQ(half.first, &items[0]);
    for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(mine.steal().value, &items[i]);
    const auto limited = deque.steal_batch(mine, 1);
    EXPECT_EQ(limited.taken, 1U);
    EXPECT_EQ(limited.first, &items[5]);
    EXPECT_TRUE(mine.looks_empty());
    EXPECT_EQ(deque.size_hint(), 3U);
}

// R53: the same work moves in fewer steal operations with batches of 32 than one by one.
TEST(Deque, LargerBatchesNeedFewerSteals) {
    const auto operations = [](std::size_t most) {
        ItemDeque deque;
        ItemDeque mine;
        std::vector<Item> items = numbered(1000);
        for (Item& item : items) deque.push(&item);
        std::size_t count = 0;
        std::size_t moved = 0;
        while (moved < items.size()) {
            moved += deque.steal_batch(mine, most).taken;
            ++count;
        }
        return count;
    };
    EXPECT_EQ(operations(1), 1000U);
    EXPECT_LT(operations(32), 60U);
}

}  // namespace
}  // namespace quarry::impl
