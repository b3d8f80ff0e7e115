#pragma once

#include <memory>

#include "quarry/c.h"
#include "quarry/terrain/fwd.hpp"

// What the terrain's C functions share.

struct quarry_field {
    std::shared_ptr<const quarry::terrain::Field> field;
    std::shared_ptr<const quarry::terrain::Materials> materials;  // may be none
};
