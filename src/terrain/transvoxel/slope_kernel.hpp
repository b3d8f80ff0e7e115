#pragma once

#include <cstddef>
#include <cstdint>

#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain::transvoxel {

// So many gradients may be written behind the last one that was asked for.
inline constexpr std::size_t kSlopePadding = 16;

// The samples around the lattice edges of some vertices. Of each edge there are its two ends and, beside each of them,
// the samples below and above on the two other axes, the earlier one u.
struct SlopeBatch {
    static constexpr std::size_t kMost = 256;

    struct End {
        alignas(64) float middle[kMost];
        alignas(64) float down_u[kMost];
        alignas(64) float up_u[kMost];
        alignas(64) float down_v[kMost];
        alignas(64) float up_v[kMost];
    };

    End low;
    End high;
    alignas(64) float place[kMost];  // of the vertex along the edge's axis, counted in edges: not below 0
    alignas(64) std::int32_t axis[kMost];
};

// The gradients of the first `count` vertices, with the same bits on every SIMD target. The batch must have been filled
// with numbers once, in full; writes up to kSlopePadding more than count.
void find_slopes(const SlopeBatch& batch, std::size_t count, Gradient* out);

}  // namespace quarry::terrain::transvoxel
