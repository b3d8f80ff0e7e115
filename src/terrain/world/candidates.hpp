#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "quarry/jobs/fwd.hpp"
#include "quarry/terrain/fwd.hpp"

namespace quarry::terrain::impl {

// Places that the field's bounds do not exclude, in order. Part of a run on the workers. Throws std::invalid_argument
// for a key or a mask out of range. Once stop is requested the rest is left out.
std::vector<std::size_t> find_candidates(Pool& pool, const Field& field, std::span<const PlacedChunk> places,
                                         const WorldOptions& options);

}  // namespace quarry::terrain::impl
