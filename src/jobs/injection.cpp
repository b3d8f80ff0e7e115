#include "jobs/injection.hpp"

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
    if (counted) room_.make(1);
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

bool Injection::looks_empty() const noexcept {
    return normal_.looks_empty() && overflow_.looks_empty() &&
           std::all_of(levels_.begin(), levels_.end(), [](const LevelList& list) { return list.looks_empty(); });
}

}  // namespace quarry::impl
