#include "jobs/injection.hpp"

#include <algorithm>

#include "jobs/os.hpp"

namespace quarry::impl {

bool Injection::wait_for_room(const std::atomic<bool>& closed) noexcept {
    // Counted until it leaves for good: whoever destroys the pool waits for that.
    room_waiters_.fetch_add(1, std::memory_order_seq_cst);
    bool got_room = false;
    for (;;) {
        const std::uint32_t seen = room_made_.load(std::memory_order_seq_cst);
        if (closed.load(std::memory_order_seq_cst)) break;
        // Pairs with make_room: room that is made without seeing this waiter is seen here.
        DefaultAtomics::fence(std::memory_order_seq_cst);
        got_room = try_take_room();
        if (got_room) break;
        os::futex_wait(room_made_, seen);
    }
    room_waiters_.fetch_sub(1, std::memory_order_seq_cst);
    return got_room;
}

void Injection::wake_all_waiters() noexcept {
    room_made_.fetch_add(1, std::memory_order_seq_cst);
    for (std::uint32_t i = room_waiters_.load(std::memory_order_seq_cst); i > 0; --i) os::futex_wake_one(room_made_);
}

void Injection::wait_until_nobody_waits() const noexcept {
    while (room_waiters_.load(std::memory_order_seq_cst) != 0) os::yield_thread();
}

void Injection::make_room(std::size_t jobs) noexcept {
    used_.fetch_sub(jobs, std::memory_order_seq_cst);
    // Pairs with wait_for_room: the waiter counts itself, then looks for room again.
    const std::size_t waiters = room_waiters_.load(std::memory_order_seq_cst);
    if (waiters == 0) [[likely]]
        return;
    room_made_.fetch_add(1, std::memory_order_seq_cst);
    for (std::size_t i = std::min(jobs, waiters); i > 0; --i) os::futex_wake_one(room_made_);
}

void Injection::push(Node& node, Priority priority) noexcept {
    if (priority == Priority::normal) {
        // The pop that makes a place may have begun and not ended; or we are beyond the bound.
        if (!overflow_.looks_empty() || !normal_.try_push(&node)) overflow_.push(node);
        return;
    }
    try {
        level(priority).push(node, true);
    } catch (const std::bad_alloc&) {
        overflow_.push(node);  // in time, if not in order
    }
}

Node* Injection::take_from(Priority priority) noexcept {
    bool counted = false;
    Node* const node = level(priority).pop(counted);
    if (node == nullptr) return nullptr;
    if (counted) make_room(1);
    return node;
}

Node* Injection::take_important() noexcept {
    if (Node* const node = take_from(Priority::urgent)) return node;
    return take_from(Priority::high);
}

std::size_t Injection::take(Node** out, std::size_t most, bool low_first) noexcept {
    if (low_first && (*out = take_from(Priority::low)) != nullptr) return 1;
    if ((*out = take_from(Priority::normal)) != nullptr) return 1;
    std::size_t count = normal_.try_pop_batch(out, most);
    if (count == 0 && (*out = overflow_.pop()) != nullptr) count = 1;
    if (count != 0) {
        make_room(count);
        return count;
    }
    if ((*out = take_from(Priority::low)) != nullptr) return 1;
    return 0;
}

bool Injection::looks_empty() const noexcept {
    return normal_.looks_empty() && overflow_.looks_empty() &&
           std::all_of(levels_.begin(), levels_.end(), [](const LevelList& list) { return list.looks_empty(); });
}

}  // namespace quarry::impl
