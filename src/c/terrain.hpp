#pragma once

#include <memory>
#include <stdexcept>

#include "quarry/c.h"
#include "quarry/terrain/fwd.hpp"

// What the terrain's C functions share.

struct quarry_field {
    std::shared_ptr<const quarry::terrain::Field> field;
    std::shared_ptr<const quarry::terrain::Materials> materials;  // may be none
};

namespace quarry::c {

template <class... Pointers>
void need_all(Pointers... pointers) {
    const bool missing = (... || (pointers == nullptr));
    if (missing) throw std::invalid_argument("a pointer that must not be NULL is NULL");
}

}  // namespace quarry::c
