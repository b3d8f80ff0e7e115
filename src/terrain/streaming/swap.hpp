#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "quarry/terrain/lattice.hpp"
#include "terrain/edits/brick.hpp"
#include "terrain/streaming/group.hpp"

namespace quarry::terrain::streaming {

using edits::LatticeBox;

// Edits that the host has told of.
struct EditNews {
    std::vector<LatticeBox> boxes;  // what has changed, in lattice units
    Box changed{};                  // all of it, in world units
    std::uint64_t edits = 0;        // calls

    bool empty() const noexcept { return edits == 0; }
};

// All shown chunks that edits touch, which are exchanged for new versions together. There is one swap at a time; edits
// that come meanwhile wait for the next. While it is under way no group is shown, so what it replaces stays as it is.
struct Swap {
    bool alive = false;
    bool is_near = false;           // workers hurry, and the host waits for it a little
    bool started_told = false;      // the host has been told to show a part of it
    std::vector<Member> members;    // what is shown of a node, or was found missing, and what will be
    std::uint32_t outstanding = 0;  // jobs that have not come back
    std::uint64_t since = 0;        // number of the update in which it began
    EditNews news;
};

}  // namespace quarry::terrain::streaming
