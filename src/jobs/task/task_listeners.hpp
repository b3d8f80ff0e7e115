#pragma once

#include <cstdint>

#include "jobs/task/node.hpp"
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

// Tells all listeners; calls continue_with(node) for continuations.
template <class ContinueWith>
void for_each_listener(std::uintptr_t first, ContinueWith continue_with) noexcept {
    const auto is_continuation = [](std::uintptr_t entry) { return (entry & kContinuationMark) != 0; };
    const auto continuation = [](std::uintptr_t entry) -> Node& {
        return *reinterpret_cast<Node*>(entry & ~kContinuationMark);
    };
    const auto listener = [](std::uintptr_t entry) -> EndListener& { return *reinterpret_cast<EndListener*>(entry); };
    tell_all<DefaultAtomics>(
        first,
        [&](std::uintptr_t entry) {
            return is_continuation(entry) ? reinterpret_cast<std::uintptr_t>(continuation(entry).next.get())
                                          : listener(entry).next;
        },
        [&](std::uintptr_t entry) {
            if (is_continuation(entry)) {
                continue_with(continuation(entry));
            } else {
                listener(entry).ended(listener(entry));
            }
        });
}

}  // namespace quarry::impl
