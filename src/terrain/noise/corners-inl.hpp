// The gradients at the lattice points around points: hashed, or looked up. Compiled once for each SIMD target.
#if defined(QUARRY_TERRAIN_NOISE_CORNERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef QUARRY_TERRAIN_NOISE_CORNERS_INL
#undef QUARRY_TERRAIN_NOISE_CORNERS_INL
#else
#define QUARRY_TERRAIN_NOISE_CORNERS_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "terrain/noise/points-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace quarry::terrain::impl::HWY_NAMESPACE {

struct HashedCorners {
    WordVector address;

    template <std::uint32_t X, std::uint32_t Y, std::uint32_t Z>
    HWY_INLINE GradientVectors get() const {
        constexpr std::uint32_t kOffset = X * kHashX + Y * kHashY + Z * kHashZ;
        return lattice_gradients(hn::Add(address, hn::Set(Words(), kOffset)));
    }
};

#if HWY_TARGET == HWY_AVX3

// An instruction looks up 16 of 32 floats. Vertices of a chunk come layer by layer, so hundreds in a row lie between
// two planes of an octave's lattice, around few of its points: their gradients are hashed once and looked up.
class CornerTable {
  public:
    struct Corners {
        const CornerTable& table;
        __m512i index;
        __m512i row;

        template <std::uint32_t X, std::uint32_t Y, std::uint32_t Z>
        HWY_INLINE GradientVectors get() const {
            __m512i at = index;
            if constexpr (X == 1) at = _mm512_add_epi32(at, _mm512_set1_epi32(1));
            if constexpr (Y == 1) at = _mm512_add_epi32(at, row);
            return {table.look_up(Z, 0, at), table.look_up(Z, 1, at), table.look_up(Z, 2, at)};
        }
    };

    // Whether the points at i lie between points of the table, which is filled anew where that helps.
    HWY_INLINE bool prepare(const BatchSamples& samples, std::size_t i, std::size_t count, std::uint32_t seed) {
        if (holds(samples, i)) return true;
        if (!in_one_layer(samples, i)) return false;
        if (wait_ > 0) {
            --wait_;
            return false;
        }
        if (fill(samples, i, count, seed) && holds(samples, i)) return true;
        // Where points are far apart it would be tried in vain each time.
        wait_ = kVectorsToWait;
        return false;
    }

    HWY_INLINE Corners corners(const BatchSamples& samples, std::size_t i) const {
        const Offsets at = offsets(samples, i);
        const __m512i row = _mm512_set1_epi32(columns_);
        return {*this, _mm512_add_epi32(at.x, _mm512_mullo_epi32(at.y, row)), row};
    }

  private:
    static constexpr std::int32_t kEntries = 32;
    static constexpr std::int32_t kMostColumns = 8;
    static constexpr int kVectorsToWait = 4;

    struct Offsets {
        __m512i x, y, z;
    };

    HWY_INLINE Offsets offsets(const BatchSamples& samples, std::size_t i) const {
        const auto from = [&](const AxisSamples& axis, std::int32_t first) HWY_ATTR {
            return _mm512_sub_epi32(_mm512_load_si512(axis.cells + i), _mm512_set1_epi32(first));
        };
        return {from(samples.x, x_), from(samples.y, y_), from(samples.z, z_)};
    }

    HWY_INLINE bool holds(const BatchSamples& samples, std::size_t i) const {
        const Offsets at = offsets(samples, i);
        // Unsigned: what lies below the first point is huge. An empty table has no columns.
        const auto in_x = _mm512_cmplt_epu32_mask(at.x, _mm512_set1_epi32(std::max(columns_ - 1, 0)));
        const auto in_y = _mm512_cmplt_epu32_mask(at.y, _mm512_set1_epi32(std::max(rows_ - 1, 0)));
        const auto in_z = _mm512_testn_epi32_mask(at.z, at.z);
        return static_cast<__mmask16>(in_x & in_y & in_z) == 0xFFFF;
    }

    static HWY_INLINE bool in_one_layer(const BatchSamples& samples, std::size_t i) {
        const __m512i first = _mm512_set1_epi32(samples.z.cells[i]);
        return _mm512_cmpeq_epi32_mask(_mm512_load_si512(samples.z.cells + i), first) == 0xFFFF;
    }

    // As wide as the rest of the batch, from the lowest of the points at i upwards.
    bool fill(const BatchSamples& samples, std::size_t i, std::size_t count, std::uint32_t seed) {
        __m512i low = _mm512_load_si512(samples.x.cells + i);
        __m512i high = low;
        for (std::size_t next = i + 16; next < count; next += 16) {
            const __m512i cells = _mm512_load_si512(samples.x.cells + next);
            low = _mm512_min_epi32(low, cells);
            high = _mm512_max_epi32(high, cells);
        }
        x_ = _mm512_reduce_min_epi32(low);
        const std::int64_t columns = std::int64_t{_mm512_reduce_max_epi32(high)} - x_ + 2;
        columns_ = 0;
        if (columns > kMostColumns) return false;
        columns_ = static_cast<std::int32_t>(columns);
        rows_ = kEntries / columns_;
        y_ = _mm512_reduce_min_epi32(_mm512_load_si512(samples.y.cells + i));
        z_ = samples.z.cells[i];
        hash(seed);
        return true;
    }

    void hash(std::uint32_t seed) {
        const auto word = [](std::int32_t number) { return static_cast<std::uint32_t>(number); };
        alignas(64) std::uint32_t addresses[kEntries + kMostColumns];
        const std::uint32_t start = word(x_) * kHashX + word(y_) * kHashY + word(z_) * kHashZ + seed;
        std::size_t at = 0;
        for (std::uint32_t row = 0; row < word(rows_); ++row) {
            for (std::uint32_t column = 0; column < kMostColumns; ++column) {
                addresses[at + column] = start + column * kHashX + row * kHashY;
            }
            at += static_cast<std::size_t>(columns_);
        }
        for (; at < kEntries; ++at) addresses[at] = 0;
        const Floats d;
        const Words du;
        for (std::size_t plane = 0; plane < 2; ++plane) {
            const auto offset = hn::Set(du, plane == 0 ? 0U : kHashZ);
            for (std::size_t half = 0; half < 2; ++half) {
                const GradientVectors found = lattice_gradients(hn::Add(hn::Load(du, addresses + 16 * half), offset));
                hn::Store(found.x, d, entries_[plane][0] + 16 * half);
                hn::Store(found.y, d, entries_[plane][1] + 16 * half);
                hn::Store(found.z, d, entries_[plane][2] + 16 * half);
            }
        }
    }

    HWY_INLINE FloatVector look_up(std::size_t plane, std::size_t component, __m512i at) const {
        const float* const from = entries_[plane][component];
        return FloatVector{_mm512_permutex2var_ps(_mm512_load_ps(from), at, _mm512_load_ps(from + 16))};
    }

    alignas(64) float entries_[2][3][kEntries];
    std::int32_t x_ = 0;  // the first point
    std::int32_t y_ = 0;
    std::int32_t z_ = 0;
    std::int32_t columns_ = 0;
    std::int32_t rows_ = 0;
    int wait_ = 0;
};

#else

class CornerTable {
  public:
    HWY_INLINE bool prepare(const BatchSamples&, std::size_t, std::size_t, std::uint32_t) const { return false; }
    HWY_INLINE HashedCorners corners(const BatchSamples& samples, std::size_t i) const {
        return {samples.address(i, 0)};
    }
};

#endif

}  // namespace quarry::terrain::impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
