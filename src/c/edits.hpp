#pragma once

#include <memory>

#include "c/terrain.hpp"
#include "quarry/terrain/edit_world.hpp"

struct quarry_edits {
    // Shared with the file that keeps them, which may be closed later than the edits are freed.
    std::shared_ptr<quarry::terrain::EditWorld> world;
    std::shared_ptr<const quarry::terrain::Materials> materials;  // of the ground; may be none
};
