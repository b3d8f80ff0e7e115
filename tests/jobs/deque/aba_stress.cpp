// R65: the same two nodes come back again and again, so that what a thread has read of a queue may look as before
// though all has changed meanwhile (ABA). A thread that takes such a node for the one it has seen takes an entry twice.
// QUARRY_SEED and QUARRY_SOAK_SECONDS as in stress_test.cpp.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/deque/deque.hpp"
#include "jobs/queue/bounded_queue.hpp"
#include "jobs/slot/slot.hpp"
#include "quarry/jobs/impl/atomics.hpp"
#include "tests/jobs/stress_support.hpp"
#include "tests/jobs/support.hpp"

namespace quarry::impl {
namespace {

using namespace test_support;

struct Recycled {
    std::size_t ticket = 0;  // plain: only who has taken the node may read it, and the sanitizer watches
    std::atomic<bool> is_free{true};
};

constexpr std::size_t kTickets = scaled(100'000, 20);

// Each ticket goes through the queue once, on one of two nodes.
class Tickets {
  public:
    // Owner. A node with the next ticket; nullptr while both are on their way.
    Recycled* issue() {
        for (Recycled& node : nodes_) {
            if (!node.is_free.load(std::memory_order_acquire)) continue;
            node.is_free.store(false, std::memory_order_relaxed);
            node.ticket = issued_++;
            return &node;
        }
        return nullptr;
    }
    // Owner.
    bool all_issued() const { return issued_ == kTickets; }

    // Whoever has taken it.
    void redeem(Recycled* node) {
        if (node == nullptr) return;
        seen_[node->ticket].fetch_add(1, std::memory_order_relaxed);
        node->is_free.store(true, std::memory_order_release);
        redeemed_.fetch_add(1, std::memory_order_relaxed);
    }
    bool all_redeemed() const { return redeemed_.load(std::memory_order_relaxed) >= kTickets; }

    void expect_each_once() const {
        for (std::size_t i = 0; i < kTickets; ++i) ASSERT_EQ(seen_[i].load(), 1) << "ticket " << i;
    }

  private:
    Recycled nodes_[2];
    std::size_t issued_ = 0;
    std::atomic<std::size_t> redeemed_{0};
    std::vector<std::atomic<int>> seen_ = std::vector<std::atomic<int>>(kTickets);
};

// The three places where nodes wait: put() and take_own() by the owner, take() by thieves.
struct InDeque {
    Deque<DefaultAtomics, Recycled*> deque{1};
    void put(Recycled* node, Tickets&) { deque.push(node); }
    Recycled* take_own() { return deque.pop(); }
    Recycled* take() { return deque.steal().value; }
};
struct InSlot {
    Slot<DefaultAtomics, Recycled*> slot;
    Recycled* last = nullptr;
    void put(Recycled* node, Tickets& tickets) {
        tickets.redeem(slot.put(node));
        last = node;
    }
    Recycled* take_own() { return last != nullptr && slot.take_if(last) ? last : nullptr; }
    Recycled* take() { return slot.take(); }
};
struct InQueue {
    BoundedQueue<DefaultAtomics, Recycled*> queue{1};
    void put(Recycled* node, Tickets&) {
        while (!queue.try_push(node)) std::this_thread::yield();
    }
    Recycled* take_own() { return take(); }
    Recycled* take() {
        Recycled* node = nullptr;
        (void)queue.try_pop_batch(&node, 1);
        return node;
    }
};

template <class Place>
void recycle_two_nodes(std::uint64_t seed) {
    constexpr std::size_t kThieves = 3;
    Place place;
    Tickets tickets;
    std::latch start(kThieves + 1);
    std::vector<std::jthread> thieves;
    for (std::size_t i = 0; i < kThieves; ++i) {
        thieves.emplace_back([&] {
            start.arrive_and_wait();
            while (!tickets.all_redeemed()) {
                Recycled* const node = place.take();
                if (node == nullptr) std::this_thread::yield();
                tickets.redeem(node);
            }
        });
    }
    std::minstd_rand random(static_cast<std::uint32_t>(seed));
    start.arrive_and_wait();
    while (!tickets.all_issued()) {
        Recycled* const node = tickets.issue();
        if (node != nullptr) place.put(node, tickets);
        if (random() % 2 == 0) tickets.redeem(place.take_own());
        if (node == nullptr) std::this_thread::yield();
    }
    thieves.clear();
    tickets.expect_each_once();
}

TEST(AbaStress, TwoNodesRecycledThroughADequeAreTakenOnceEach) {
    for_each_seed("deque of recycled nodes", recycle_two_nodes<InDeque>);
}

TEST(AbaStress, TwoNodesRecycledThroughTheSlotAreTakenOnceEach) {
    for_each_seed("slot of recycled nodes", recycle_two_nodes<InSlot>);
}

TEST(AbaStress, TwoNodesRecycledThroughAQueueAreTakenOnceEach) {
    for_each_seed("queue of recycled nodes", recycle_two_nodes<InQueue>);
}

}  // namespace
}  // namespace quarry::impl
