#include "jobs/pool/injection.hpp"

#include <algorithm>

namespace quarry::impl {

void Injection::push(Node& node, Priority priority) noexcept {
    if (priority == Priority::normal) {
        // The pop that makes a place may have begun and not ended; or we are beyond the bound.
        if (!overflow_.looks_empty() || !normal_.try_push(&node)) push_beyond(node);
        return;
    }
    try {
        level(priority).push(node, true);
    } catch (const std::bad_alloc&) {
        push_beyond(node);  // in time, if not in order
    }
}

// Of a job that is there already one entry is enough.
void Injection::push_beyond(Node& node) noexcept {
    if (overflow_.push(node)) return;
    room_.make(1);
    release(&node);
}

Node* Injection::take_from(Priority priority) noexcept {
    bool counted = false;
    Node* const node = level(priority).pop(counted);
    if (node == nullptr) return nullptr;
    if (counted) {
        room_.make(1);
    } else {
        left_entries_.assume();  // the one it had before it was raised
    }
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
        room_.make(count);
        return count;
    }
    if ((*out = take_from(Priority::low)) != nullptr) return 1;
    return 0;
}

void Injection::drop_entry(Node& node, bool counted) noexcept {
    release(&node);
    if (counted) room_.make(1);
}

// The normal ones move on to the list that is looked at before their queue. False: there was no memory for that.
bool Injection::sweep_normal(bool& moved) noexcept {
    constexpr std::size_t kAtOnce = 16;
    LevelList& list = level(Priority::normal);
    Node* batch[kAtOnce];
    // No more than are here now: others may add to them meanwhile.
    for (std::size_t left = normal_.capacity(); left > 0;) {
        try {
            list.reserve(kAtOnce);
        } catch (const std::bad_alloc&) {
            return false;
        }
        const std::size_t count = normal_.try_pop_batch(batch, std::min(left, kAtOnce));
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (batch[i]->claim.is_claimed()) {
                drop_entry(*batch[i], true);
            } else {
                list.push_reserved(*batch[i], true);
                ++kept;
            }
        }
        list.give_reserved_back(kAtOnce - kept);
        moved = moved || kept != 0;
        if (count == 0) return true;
        left -= count;
    }
    return true;
}

// First in, first out as before: those beyond the bound go round to the end of their list.
bool Injection::sweep() noexcept {
    const std::lock_guard lock(sweeping_);
    if (!left_entries_.take()) return false;
    for (LevelList& list : levels_) {
        list.sweep([](const Node& node) { return node.claim.is_claimed(); },
                   [this](Node& node, bool counted) { drop_entry(node, counted); });
    }
    bool moved = false;
    if (!sweep_normal(moved)) left_entries_.assume();
    for (std::size_t left = overflow_.size_hint(); left > 0; --left) {
        Node* const node = overflow_.pop();
        if (node == nullptr) break;
        if (node->claim.is_claimed()) {
            drop_entry(*node, true);
        } else {
            moved = true;
            push_beyond(*node);
        }
    }
    return moved;
}

bool Injection::looks_empty() const noexcept {
    return normal_.looks_empty() && overflow_.looks_empty() &&
           std::all_of(levels_.begin(), levels_.end(), [](const LevelList& list) { return list.looks_empty(); });
}

}  // namespace quarry::impl
