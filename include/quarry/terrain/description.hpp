#pragma once

#include <memory>

#include "quarry/terrain/fwd.hpp"

namespace quarry::terrain {

// A world as a file describes it: its shape, and what it is made of.
struct Described {
    std::shared_ptr<const Field> field;
    std::shared_ptr<const Materials> materials;  // may be null: the file names none
};

}  // namespace quarry::terrain
