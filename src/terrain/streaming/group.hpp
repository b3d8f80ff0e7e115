#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "terrain/streaming/node_tree.hpp"

namespace quarry::terrain::streaming {

// A step from what is shown towards the plan.
enum class ChangeKind : std::uint8_t {
    none,
    appear,  // a leaf of the plan where nothing is shown
    split,   // children in place of a node
    join,    // a node in place of its children
    vanish,  // nothing in place of a node that the plan has left behind: has no group, see World::leave
};

// A node and the version of its chunk that the group will show.
struct Member {
    NodeIndex node = kNoNode;
    std::uint32_t chunk = kNone;
};

// Chunks that a group may have to have made: eight children and 24 neighbours.
inline constexpr std::size_t kMostNewInGroup = 32;

// Chunks that change together: what a step adds and removes, and neighbours whose masks change with it. At most 24
// neighbours of the level below share a face with a node, so no group has more than 8 + 24 chunks to show and as many
// versions to hide: 57 for a split (1 + 24 old ones) and for a join (1 + 24 new ones).
struct Group {
    bool alive = false;
    ChangeKind kind = ChangeKind::none;
    std::uint64_t number = 0;
    NodeIndex node = kNoNode;
    std::vector<Member> added;
    std::vector<Member> rebaked;
    std::vector<NodeIndex> removed;
    std::uint32_t outstanding = 0;  // jobs that have not come back
    bool ready = false;             // listed as ready
    std::uint64_t checked_at = 0;   // what was shown when its masks were found right
    bool show_told = false;
    double rank = 0;               // of its node
    std::uint64_t ranked_for = 0;  // the viewers that this was found for, see World::begin_delivery
};

}  // namespace quarry::terrain::streaming
