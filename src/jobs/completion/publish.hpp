#pragma once

#include "jobs/completion/completion.hpp"

// How others hand a group's jobs, and their ends, to the group's owner. The group may be gone as soon as it is told:
// what is needed of it afterwards, the parker of its owner, is read before. Parkers outlive all groups. See README.md.
//
// Group: completion, and owner, which points to something with a parker.
namespace quarry::impl {

// Any thread that holds an unfinished job of the group. make_reachable() lets others than the owner get at the job; it
// may be over when that returns.
template <class Group, class Node, class MakeReachable>
void list_for_owner(Group& group, Node& node, MakeReachable make_reachable) noexcept {
    auto& parker = group.owner->parker;
    group.completion.hold();
    make_reachable();
    if (group.completion.list(&node)) parker.notify();
}

// A job of the group has ended on another thread than the owner's.
template <class Group>
void finish_for_owner(Group& group) noexcept {
    auto& parker = group.owner->parker;
    if (group.completion.finished_elsewhere()) parker.notify();
}

// Owner: the next job that others have listed. `listed` is what was taken from the list and not looked at yet.
// claim(node): the node if it is the caller's to run, else null, and the list's reference is dropped.
template <class Completion, class Node, class Claim>
Node* next_listed(Completion& completion, Node*& listed, Claim claim) noexcept {
    if (listed == nullptr) listed = completion.take_listed();
    while (Node* const node = listed) {
        listed = node->next.get();
        if (Node* const mine = claim(node)) return mine;
    }
    return nullptr;
}

}  // namespace quarry::impl
