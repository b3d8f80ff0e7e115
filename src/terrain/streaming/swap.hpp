#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "quarry/terrain/lattice.hpp"
#include "terrain/edits/brick.hpp"
#include "terrain/streaming/group.hpp"

namespace quarry::terrain::streaming {

using edits::LatticeBox;

// Edits that the host has told of, one box and one update for each call.
struct EditNews {
    std::vector<LatticeBox> boxes;    // what has changed, in lattice units
    std::vector<std::uint64_t> told;  // number of the first update after the call
    Box changed{};                    // all of it, in world units

    bool empty() const noexcept { return boxes.empty(); }
};

// All shown chunks that edits touch, which are exchanged for new versions together. There is one swap at a time; edits
// that come meanwhile wait for the next. While it is under way no group is shown, so what it replaces stays as it is.
struct Swap {
    bool alive = false;
    bool is_near = false;           // workers hurry, and the host waits for it a little
    bool started_told = false;      // the host has been told to show a part of it
    std::vector<Member> members;    // nodes, and the versions that will be shown of them
    std::vector<NodeIndex> opened;  // nodes that bounds had proven empty, for the plan to take in when it is shown
    std::uint32_t outstanding = 0;  // jobs that have not come back
    EditNews news;
};

}  // namespace quarry::terrain::streaming
