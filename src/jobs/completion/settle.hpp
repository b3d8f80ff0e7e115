#pragma once

#include <cstdint>

#include "quarry/jobs/impl/atomics.hpp"

// How a job that can be reached in several ways ends: a join's closure that was offered to others, and a task. See
// README.md.
namespace quarry::impl {

// Before the closure of a join is pushed: the deque has a reference, and so has the owner.
template <class Node>
void prepare_promoted(Node& node) noexcept {
    node.claim.prepare(2, true, false);
}

// The owner of the join takes it back, or waits for whoever has it. take_out(): its entry in the deque is of no use any
// more. wait(): for the node's latch. True: the closure is the caller's to run.
template <class Node, class TakeOut, class Wait, class Release>
bool settle_promoted(Node& node, TakeOut take_out, Wait wait, Release release) noexcept {
    const bool mine = node.claim.try_claim();
    if (mine) {
        take_out();
    } else {
        wait();
    }
    release(&node);
    return mine;
}

// Whoever has run it elsewhere: the frame that it used may be gone when the latch is set.
template <class Node, class Release>
void end_promoted(Node& node, Release release) noexcept {
    node.latch.set();
    release(&node);
}

// The thread that has run a task: what TaskEnd::set() answers. One that nobody else knows of any more, because its Task
// was dropped, needs no exchange.
template <class Node, class Release>
std::uintptr_t end_task_node(Node& node, Release release) noexcept {
    const std::uintptr_t listeners = node.claim.is_forgotten() ? node.end.set_unseen() : node.end.set();
    release(&node);
    return listeners;
}

}  // namespace quarry::impl
