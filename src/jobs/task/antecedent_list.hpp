#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "jobs/task/node.hpp"
#include "quarry/jobs/impl/gather.hpp"

// The address in a continuation's Antecedents: a node, or with a mark an AntecedentList, or with another one the job in
// which a coroutine goes on.
namespace quarry::impl {

inline constexpr std::uintptr_t kAntecedentListMark = 2;
inline constexpr std::uintptr_t kHopMark = 4;

inline Node* first_unended(std::uintptr_t address) noexcept {
    const auto has_ended = [](const Job* job) { return static_cast<const Node*>(job)->end.is_set(); };
    if (address == 0) return nullptr;
    if ((address & kAntecedentListMark) == 0) {
        auto* const node = reinterpret_cast<Node*>(address & ~kHopMark);
        return has_ended(node) ? nullptr : node;
    }
    // Where the last look stopped: a waiter comes back each time one of them has ended.
    auto& list = *reinterpret_cast<AntecedentList*>(address & ~kAntecedentListMark);
    Job* const* const end = list.jobs + list.count;
    Job* const* const found = std::find_if_not(list.jobs + list.ended_before, end, has_ended);
    list.ended_before = static_cast<std::size_t>(found - list.jobs);
    return found == end ? nullptr : static_cast<Node*>(*found);
}

}  // namespace quarry::impl
