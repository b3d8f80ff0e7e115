#include "jobs/deque/deque.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
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
    std::atomic<int> taken{0};
};
using ItemDeque = Deque<DefaultAtomics, Item*>;

constexpr std::size_t kItems = scaled(200'000);

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
void own(ItemDeque& deque, Item* first, std::size_t count, Checksum& checksum, std::uint64_t seed) {
    std::minstd_rand random(static_cast<std::uint32_t>(seed));
    for (std::size_t i = 0; i < count; ++i) {
        deque.push(first + i);
        if (i % 512 == 0) std::this_thread::yield();
        if (random() % 3 != 0) continue;
        if (Item* item = deque.pop()) checksum.take(item);
    }
}

void push_and_steal(std::uint64_t seed) {
    constexpr std::size_t kOwners = 4;
    std::vector<Item> items = numbered(kItems);
    std::vector<std::unique_ptr<ItemDeque>> deques;
    for (std::size_t i = 0; i < kOwners; ++i) deques.push_back(std::make_unique<ItemDeque>(2, ~std::uint64_t{0} - i));
    Checksum checksum;
    std::latch start(kOwners + 4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kOwners; ++i) {
        constexpr std::size_t kShare = kItems / kOwners;
        threads.emplace_back([&, i] {
            start.arrive_and_wait();
            own(*deques[i], items.data() + i * kShare, kShare, checksum, seed + i);
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

// R52: four owners push while four thieves steal from all of them; counts and sums must agree.
TEST(DequeStress, FourPushersAndFourStealersLoseNothing) {
    for_each_seed("pushers and stealers", push_and_steal);
}

void storm(std::uint64_t seed) {
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
    own(deque, items.data(), items.size(), checksum, seed);
    for (std::thread& thief : thieves) thief.join();
    expect_each_taken_once(items, checksum);
}

// R64: one owner, sixteen thieves, and the deque rarely holds more than an entry or two.
TEST(DequeStress, StealStormOfSixteenThievesLosesNothing) {
    for_each_seed("storm on a deque", storm);
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
