#pragma once

#include "quarry/terrain/simd.hpp"

namespace quarry::terrain::impl {

// Whether this build holds kernels for the target; the processor may lack it all the same.
bool is_compiled(SimdTarget target) noexcept;

}  // namespace quarry::terrain::impl
