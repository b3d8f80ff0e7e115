#pragma once

#include <string_view>
#include <vector>

#include "quarry/export.hpp"

namespace quarry::terrain {

// The instruction sets that fields are compiled for. All give the same bits.
enum class SimdTarget { scalar, sse4, avx2, avx512, neon };

// Those that this build holds and this processor can run, slowest first; never empty.
QUARRY_API std::vector<SimdTarget> simd_targets();

// The one in use: the last of simd_targets(), unless another was forced.
QUARRY_API SimdTarget simd_target() noexcept;

// From now on, in the whole process. Throws std::invalid_argument for one that simd_targets() does not list.
QUARRY_API void force_simd_target(SimdTarget target);

// "scalar", "sse4", "avx2", "avx512", "neon".
QUARRY_API std::string_view name_of(SimdTarget target) noexcept;

// The reverse of name_of. Throws std::invalid_argument that lists simd_targets() for any other name.
QUARRY_API SimdTarget simd_target_named(std::string_view name);

}  // namespace quarry::terrain
