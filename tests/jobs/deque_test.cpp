#include "jobs/deque/deque.hpp"

#include "jobs/atomics/policy.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <limits>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::impl {
namespace {

struct Item {
    std::uint64_t number = 0;
    std::atomic<int> taken{0};
};
using ItemDeque = Deque<DefaultAtomics, Item*>;

// The thread sanitizer makes everything about ten times slower.
#if defined(QUARRY_THREAD_SANITIZER)
constexpr std::size_t kItems = 20'000;
#else
constexpr std::size_t kItems = 200'000;
#endif

struct Checksum {
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::uint64_t> sum{0};

    void take(Item* item) {
        item->taken.fetch_add(1, std::memory_order_relaxed);
        count.fetch_add(1, std::memory_order_relaxed);
        sum.fetch_add(item->number, std::memory_order_relaxed);
    }
};

std::vector<Item> numbered(std::size_t count) {
    std::vector<Item> items(count);
    for (std::size_t i = 0; i < count; ++i) items[i].number = i + 1;
    return items;
}

void expect_each_taken_once(const std::vector<Item>& items, const Checksum& checksum) {
    const std::uint64_t count = items.size();
    EXPECT_EQ(checksum.count, count);
    EXPECT_EQ(checksum.sum, count * (count + 1) / 2);
    for (const Item& item : items) ASSERT_EQ(item.taken, 1) << "item " << item.number;
}

// Pushes all items and takes some back, as a worker that spawns and runs does; the thieves must take the
// rest.
void own(ItemDeque& deque, Item* first, std::size_t count, Checksum& checksum) {
    std::minstd_rand random(42);
    for (std::size_t i = 0; i < count; ++i) {
        deque.push(first + i);
        if (i % 512 == 0) std::this_thread::yield();
        if (random() % 3 != 0) continue;
        if (Item* item = deque.pop()) checksum.take(item);
    }
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

TEST(Deque, BatchEndsAtAnEntryThatIsRefused) {
    ItemDeque deque;
    ItemDeque mine;
    std::vector<Item> items = numbered(6);
    for (Item& item : items) deque.push(&item);
    const auto batch = deque.steal_batch_if(mine, 32, [](Item* item) { return item->number < 3; });
    EXPECT_EQ(batch.status, StealStatus::got);
    EXPECT_EQ(batch.taken, 2U);
    EXPECT_FALSE(batch.lost_race);
    EXPECT_EQ(deque.size_hint(), 4U);
    EXPECT_EQ(deque.steal_batch_if(mine, 32, [](Item*) { return false; }).status, StealStatus::refused);
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

// R52: four owners push while four thieves steal from all of them; counts and sums must agree.
TEST(DequeStress, FourPushersAndFourStealersLoseNothing) {
    constexpr std::size_t kOwners = 4;
    std::vector<Item> items = numbered(kItems);
    std::vector<std::unique_ptr<ItemDeque>> deques;
    for (std::size_t i = 0; i < kOwners; ++i)
        deques.push_back(std::make_unique<ItemDeque>(2, ~std::uint64_t{0} - i));
    Checksum checksum;
    std::latch start(kOwners + 4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kOwners; ++i) {
        constexpr std::size_t kShare = kItems / kOwners;
        threads.emplace_back([&, i] {
            start.arrive_and_wait();
            own(*deques[i], items.data() + i * kShare, kShare, checksum);
        });
    }
    for (std::size_t i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
            ItemDeque mine(1);
            start.arrive_and_wait();
            for (std::size_t victim = i; checksum.count < kItems; ++victim) {
                const auto batch = deques[victim % kOwners]->steal_batch(mine, 1 + 8 * (i % 2));
                if (batch.first != nullptr) checksum.take(batch.first);
                while (Item* item = mine.pop()) checksum.take(item);
                if (batch.taken == 0) std::this_thread::yield();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    expect_each_taken_once(items, checksum);
}

// R64: one owner, sixteen thieves, and the deque rarely holds more than an entry or two.
TEST(DequeStress, StealStormOfSixteenThievesLosesNothing) {
    std::vector<Item> items = numbered(kItems / 4);
    ItemDeque deque(1);
    Checksum checksum;
    std::latch start(17);
    std::vector<std::thread> thieves;
    for (int i = 0; i < 16; ++i) {
        thieves.emplace_back([&] {
            start.arrive_and_wait();
            while (checksum.count < items.size()) {
                const auto stolen = deque.steal();
                if (stolen.status == StealStatus::got) checksum.take(stolen.value);
                if (stolen.status == StealStatus::empty) std::this_thread::yield();
            }
        });
    }
    start.arrive_and_wait();
    own(deque, items.data(), items.size(), checksum);
    for (std::thread& thief : thieves) thief.join();
    expect_each_taken_once(items, checksum);
}

// A thief that takes an entry sees what the owner wrote before the push; the thread sanitizer watches.
TEST(DequeStress, EntriesArriveWithWhatWasWrittenBeforeThePush) {
    struct Message {
        std::uint64_t text = 0;
    };
    std::vector<Message> messages(kItems / 4);
    Deque<DefaultAtomics, Message*> deque(2);
    std::atomic<std::uint64_t> wrong{0};
    std::atomic<bool> stop{false};
    std::thread thief([&] {
        while (!stop || !deque.looks_empty()) {
            const auto stolen = deque.steal();
            if (stolen.value != nullptr && stolen.value->text != 7) ++wrong;
        }
    });
    for (Message& message : messages) {
        message.text = 7;
        deque.push(&message);
    }
    stop = true;
    thief.join();
    EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace quarry::impl
