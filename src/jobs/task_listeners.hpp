#pragma once

#include <cstdint>

#include "jobs/node.hpp"
#include "quarry/jobs/impl/task_body.hpp"

// The entries of a TaskEnd: continuations, marked, linked through their nodes; and all others as EndListener.
namespace quarry::impl {

inline constexpr std::uintptr_t kContinuationMark = 2;

inline bool listen_as_continuation(Node& antecedent, Node& continuation) noexcept {
    return antecedent.end.listen(reinterpret_cast<std::uintptr_t>(&continuation) | kContinuationMark,
                                 [&](std::uintptr_t next) { continuation.next.set(reinterpret_cast<Node*>(next)); });
}

inline bool listen(Node& task, EndListener& listener) noexcept {
    return task.end.listen(reinterpret_cast<std::uintptr_t>(&listener),
                           [&](std::uintptr_t next) { listener.next = next; });
}

// Tells all listeners; calls continue_with(node) for continuations. A link is read before its owner is told.
template <class ContinueWith>
void for_each_listener(std::uintptr_t entry, ContinueWith continue_with) noexcept {
    while (entry != TaskEnd<DefaultAtomics>::kNobody) {
        if ((entry & kContinuationMark) != 0) {
            auto& continuation = *reinterpret_cast<Node*>(entry & ~kContinuationMark);
            entry = reinterpret_cast<std::uintptr_t>(continuation.next.get());
            continue_with(continuation);
        } else {
            auto& listener = *reinterpret_cast<EndListener*>(entry);
            entry = listener.next;
            listener.ended(listener);
        }
    }
}

}  // namespace quarry::impl
