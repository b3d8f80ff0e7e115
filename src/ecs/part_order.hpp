#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "quarry/ecs/impl/schedule_core.hpp"

namespace quarry::ecs::impl {

// Two systems in conflict whose order nobody has stated.
struct UnorderedPair {
    std::uint32_t added_first;
    std::uint32_t added_later;
    bool turned;  // stated orders of others leave no other way: the one that was added later runs first
};

// How the systems of a part follow each other.
struct PartOrder {
    std::vector<std::uint32_t> systems;  // each after all that it waits for
    std::vector<std::vector<std::uint32_t>>
        before;  // by place in `systems`: places, without those that follow from others
    std::vector<UnorderedPair> unordered;
};

// members: numbers of systems in the order of adding; stated: for each system those that must run before it. Nothing:
// the stated orders have a cycle.
std::optional<PartOrder> order_of_part(const std::vector<std::uint32_t>& members,
                                       const std::vector<std::vector<std::uint32_t>>& stated,
                                       const std::deque<SystemSpec>& specs);

}  // namespace quarry::ecs::impl
