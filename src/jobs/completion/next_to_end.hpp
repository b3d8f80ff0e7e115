#pragma once

#include <cstdint>

#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

template <class Node>
struct NextToEnd {
    Node& job;             // the caller has a reference to it
    bool is_being_queued;  // what it continues has just ended
};

// The job that has to end next so that `task` can: the task itself once it is armed, else the oldest of what it
// continues that has not ended. See README.md.
//
// antecedents_of(node): its Antecedents. first_unended(address): what in there has not ended, or null.
template <class Policy, class Node, class AntecedentsOf, class FirstUnended, class Release>
NextToEnd<Node> next_to_end(Node& task, AntecedentsOf antecedents_of, FirstUnended first_unended,
                            Release release) noexcept {
    Node* current = &task;
    current->claim.retain();
    for (;;) {
        if (current->claim.is_armed()) return {*current, false};
        Node* antecedent = nullptr;
        bool attached = false;
        antecedents_of(*current).visit([&](std::uintptr_t address) {
            attached = address != 0;
            antecedent = first_unended(address);
            if (antecedent != nullptr) antecedent->claim.retain();
        });
        if (antecedent == nullptr) return {*current, Policy::check(Mutation::chain_queued, attached)};
        release(current);
        current = antecedent;
    }
}

// Returns when the task has ended. advance(job): runs that job or waits for its end, with a reference that becomes the
// callee's. yield(): lets the thread go on that is about to queue something.
template <class Policy, class Node, class AntecedentsOf, class FirstUnended, class Release, class Advance, class Yield>
void wait_for_chain(Node& task, AntecedentsOf antecedents_of, FirstUnended first_unended, Release release,
                    Advance advance, Yield yield) {
    while (!task.end.is_set()) {
        const NextToEnd<Node> next = next_to_end<Policy>(task, antecedents_of, first_unended, release);
        if (next.is_being_queued) {
            release(&next.job);
            yield();
        } else {
            advance(next.job);
        }
    }
}

}  // namespace quarry::impl
