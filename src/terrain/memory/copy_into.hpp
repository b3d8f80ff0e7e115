#pragma once

#include <algorithm>
#include <span>
#include <type_traits>

#include "quarry/terrain/mesh_memory.hpp"

namespace quarry::terrain::impl {

// As assign, but in one piece: that goes through the allocator item by item.
template <class T>
void copy_into(MeshVector<T>& to, std::span<const std::type_identity_t<T>> from) {
    to.resize(from.size());
    std::copy(from.begin(), from.end(), to.begin());
}

}  // namespace quarry::terrain::impl
