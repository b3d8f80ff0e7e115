// The row form for octaves with few lattice columns under a tile: two rows share the vectors of coefficients, and up to
// four octaves are summed up in registers. Compiled once for each SIMD target.
#if defined(QUARRY_TERRAIN_NOISE_PAIRS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef QUARRY_TERRAIN_NOISE_PAIRS_INL
#undef QUARRY_TERRAIN_NOISE_PAIRS_INL
#else
#define QUARRY_TERRAIN_NOISE_PAIRS_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "terrain/noise/rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace quarry::terrain::impl::HWY_NAMESPACE {

inline constexpr std::size_t kMostPairOctaves = 4;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2

inline constexpr std::size_t kPairPoints = kTilePoints * kMostLanes / 2 + kMostLanes;

using Halves = hn::Half<Floats>;

// Two rows of lattice points a vector.
struct PairPlane {
    alignas(64) float x[kPairPoints];
    alignas(64) float y[kPairPoints];
    alignas(64) float z[kPairPoints];

    void fill(const PointRange& range, std::uint32_t seed, std::uint32_t plane) {
        const Floats d;
        const Words du;
        const std::size_t lanes = hn::Lanes(d);
        const auto half = static_cast<std::uint32_t>(lanes / 2);
        const WordVector lane = hn::Iota(du, 0U);
        const auto upper = hn::Gt(hn::BitCast(Ints(), lane), hn::Set(Ints(), static_cast<std::int32_t>(half) - 1));
        // In the upper half the columns begin again, one row further.
        const WordVector next_row = hn::IfThenElseZero(hn::RebindMask(du, upper), hn::Set(du, kHashY - half * kHashX));
        const WordVector steps = hn::Add(hn::Mul(lane, hn::Set(du, kHashX)), next_row);
        for (std::size_t row = 0; row < range.rows; row += 2) {
            const std::uint32_t start = range.first_x * kHashX +
                                        (range.first_y + static_cast<std::uint32_t>(row)) * kHashY + plane * kHashZ +
                                        seed;
            const GradientVectors g = lattice_gradients(hn::Add(steps, hn::Set(du, start)));
            hn::Store(g.x, d, x + row * half);
            hn::Store(g.y, d, y + row * half);
            hn::Store(g.z, d, z + row * half);
        }
    }
};

// An octave of a tile, with all that does not change from plane to plane.
class PairOctave {
  public:
    // Whether all lattice columns fit half a vector; otherwise not to be used.
    bool set_up(const Octave& octave, const double* x, const double* y, const Tile& tile) {
        octave_ = &octave;
        has_planes_ = false;
        xs_.fill(x, tile.nx, octave.frequency);
        ys_.fill(y, tile.ny, octave.frequency);
        const std::size_t half = hn::Lanes(Halves());
        range_ = point_range(xs_.cells, tile.nx, ys_.cells, tile.ny, half);
        if (range_.columns > half) return false;
        for (std::size_t i = 0; i < tile.nx + kMostLanes; ++i) {
            const std::uint32_t column = cells_between(xs_.cells[0], xs_.cells[std::min(i, tile.nx - 1)]);
            columns_[i] = static_cast<std::int32_t>(column);
        }
        set_up_rows(tile.ny, half);
        set_up_tail(tile.nx, half);
        return true;
    }

    void go_to_plane(double z) {
        const AxisPoint at = axis_point(z * octave_->frequency);
        if (!has_planes_ || at.cell != cell_) {
            if (has_planes_ && at.cell == cell_ + 1) {
                low_ = 1 - low_;
            } else {
                planes_[low_].fill(range_, octave_->seed, at.cell);
            }
            planes_[1 - low_].fill(range_, octave_->seed, at.cell + 1);
            cell_ = at.cell;
            has_planes_ = true;
        }
        blend_planes((range_.rows + 1) / 2 * 2 * range_.stride, planes_[low_], planes_[1 - low_], at.rest, blended_);
    }

    struct Coefficients {
        RowVectors row;
        RowVectors change;
    };

    // Of rows 2 * pair and 2 * pair + 1.
    HWY_INLINE Coefficients coefficients(std::size_t pair) const {
        const Floats d;
        const Ints di;
        const std::size_t lanes = hn::Lanes(d);
        const Near& near = near_[pair];
        const FloatVector v = hn::Load(d, rests_ + pair * lanes);
        const FloatVector s = hn::Load(d, faded_ + pair * lanes);
        const FloatVector from_high = hn::Sub(v, hn::Set(d, 1.0F));
        const std::size_t up = range_.stride;
        const FloatVector close = hn::Add(hn::Mul(two_rows(blended_.y, near, 0), v), two_rows(blended_.z, near, 0));
        const FloatVector far =
            hn::Add(hn::Mul(two_rows(blended_.y, near, up), from_high), two_rows(blended_.z, near, up));
        const RowVectors row{lerp(s, two_rows(blended_.x, near, 0), two_rows(blended_.x, near, up)),
                             lerp(s, close, far)};
        const auto next = hn::And(hn::Iota(di, 1), hn::Set(di, static_cast<std::int32_t>(lanes) - 1));
        return {row, row_change(row, picked(row, hn::IndicesFromVec(d, next)))};
    }

    // The first (0) or second (1) row of the pair, from sample i on.
    HWY_INLINE FloatVector noise(const Coefficients& of, std::size_t i, std::int32_t which) const {
        const Floats d;
        const Ints di;
        const auto first = hn::Set(di, which * static_cast<std::int32_t>(range_.stride));
        return noise_at(of, hn::Load(d, xs_.rest + i), hn::Load(d, xs_.faded + i),
                        hn::Add(hn::Load(di, columns_ + i), first));
    }

    // The ends of both rows, half a vector each.
    HWY_INLINE FloatVector tail_noise(const Coefficients& of) const {
        const Floats d;
        return noise_at(of, hn::Load(d, tail_rest_), hn::Load(d, tail_faded_), hn::Load(Ints(), tail_columns_));
    }

    HWY_INLINE FloatVector weight() const { return hn::Set(Floats(), octave_->weight); }

  private:
    struct Near {
        std::uint32_t first;
        std::uint32_t second;
    };

    void set_up_rows(std::size_t ny, std::size_t half) {
        for (std::size_t y = 0; y < ny + ny % 2; ++y) {
            const std::size_t at = std::min(y, ny - 1);
            const auto row = cells_between(ys_.cells[0], ys_.cells[at]) * static_cast<std::uint32_t>(half);
            (y % 2 == 0 ? near_[y / 2].first : near_[y / 2].second) = row;
            std::fill_n(rests_ + y * half, half, ys_.rest[at]);
            std::fill_n(faded_ + y * half, half, ys_.faded[at]);
        }
    }

    void set_up_tail(std::size_t nx, std::size_t half) {
        const std::size_t first = nx / (2 * half) * (2 * half);
        if (first == nx) return;
        for (std::size_t i = 0; i < 2 * half; ++i) {
            const std::size_t from = first + i % half;
            tail_rest_[i] = xs_.rest[from];
            tail_faded_[i] = xs_.faded[from];
            tail_columns_[i] = columns_[from] + static_cast<std::int32_t>(i / half * half);
        }
    }

    static HWY_INLINE FloatVector two_rows(const float* from, const Near& near, std::size_t up) {
        const Halves dh;
        return hn::Combine(Floats(), hn::Load(dh, from + near.second + up), hn::Load(dh, from + near.first + up));
    }

    template <class Columns>
    static HWY_INLINE FloatVector noise_at(const Coefficients& of, FloatVector u, FloatVector s, Columns columns) {
        const auto indices = hn::IndicesFromVec(Floats(), columns);
        return along_row(u, s, picked(of.row, indices), picked(of.change, indices));
    }

    const Octave* octave_ = nullptr;
    PointRange range_{};
    bool has_planes_ = false;
    std::uint32_t cell_ = 0;
    std::size_t low_ = 0;
    PairPlane planes_[2];
    PairPlane blended_;
    AxisSamples xs_;
    AxisSamples ys_;
    Near near_[kTileSamples / 2 + 1];
    alignas(64) std::int32_t columns_[kTileSamples + kMostLanes];
    alignas(64) float rests_[(kTileSamples + 2) * kMostLanes / 2];
    alignas(64) float faded_[(kTileSamples + 2) * kMostLanes / 2];
    alignas(64) float tail_rest_[kMostLanes];
    alignas(64) float tail_faded_[kMostLanes];
    alignas(64) std::int32_t tail_columns_[kMostLanes];
};

template <std::size_t Count>
struct PairSums {
    const PairOctave* octaves;
    const Pass& pass;
    typename PairOctave::Coefficients of[Count];

    // before: what the octaves ahead of these have added up, unless these are the first.
    template <bool Ridged, class NoiseOf>
    HWY_INLINE FloatVector sum(FloatVector before, const NoiseOf& noise_of) const {
        FloatVector total = term<Ridged>(octaves[0].weight(), noise_of(octaves[0], of[0]));
        if (!pass.first) total = hn::Add(before, total);
        for (std::size_t k = 1; k < Count; ++k) {
            total = hn::Add(total, term<Ridged>(octaves[k].weight(), noise_of(octaves[k], of[k])));
        }
        return total;
    }
};

// Rows that a pair is written to; the second is null where there is none.
struct PairRows {
    float* out[2];
    float base[2];
};

template <bool Ridged, std::size_t Count>
HWY_INLINE void put_tails(const PairSums<Count>& sums, const PairRows& rows, std::size_t from, std::size_t count) {
    const Floats d;
    const std::size_t half = hn::Lanes(d) / 2;
    alignas(64) float before[kMostLanes] = {};
    for (std::size_t row = 0; row < 2 && !sums.pass.first && rows.out[row] != nullptr; ++row) {
        std::copy_n(rows.out[row] + from, count, before + row * half);
    }
    alignas(64) float ends[kMostLanes];
    hn::Store(sums.template sum<Ridged>(hn::Load(d, before), [](const PairOctave& octave, const auto& of)
                                                                 HWY_ATTR { return octave.tail_noise(of); }),
              d, ends);
    for (std::size_t row = 0; row < 2 && rows.out[row] != nullptr; ++row) {
        for (std::size_t i = 0; i < count; ++i) {
            const float sum = ends[row * half + i];
            rows.out[row][from + i] = sums.pass.last ? rows.base[row] - sum : sum;
        }
    }
}

template <bool Ridged, std::size_t Count>
HWY_INLINE void put_pair(const PairSums<Count>& sums, const PairRows& rows, std::size_t nx) {
    const Floats d;
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t rest = nx % lanes;
    const std::size_t whole = rest > lanes / 2 ? nx : nx - rest;
    for (std::int32_t row = 0; row < 2 && rows.out[row] != nullptr; ++row) {
        float* const out = rows.out[row];
        for (std::size_t i = 0; i < whole; i += lanes) {
            const auto noise_of = [&](const PairOctave& octave, const auto& of)
                                      HWY_ATTR { return octave.noise(of, i, row); };
            if (whole - i < lanes) {
                alignas(64) float before[kMostLanes] = {};
                if (!sums.pass.first) std::copy_n(out + i, rest, before);
                const FloatVector sum = sums.template sum<Ridged>(hn::Load(d, before), noise_of);
                put_tail({sums.pass.weight, true, sums.pass.last}, sum, rows.base[row], out + i, rest);
                break;
            }
            FloatVector sum =
                sums.template sum<Ridged>(sums.pass.first ? hn::Zero(d) : hn::LoadU(d, out + i), noise_of);
            if (sums.pass.last) sum = hn::Sub(hn::Set(d, rows.base[row]), sum);
            hn::StoreU(sum, d, out + i);
        }
    }
    if (whole < nx) put_tails<Ridged>(sums, rows, whole, rest);
}

// Count octaves of one tile, all its planes.
template <bool Ridged, std::size_t Count>
HWY_NOINLINE void pair_octaves(PairOctave* octaves, const SampleBlock& block, const Tile& tile, const Pass& pass,
                               const float* bases, float* out) {
    for (std::int32_t z = 0; z < block.nz; ++z) {
        for (std::size_t k = 0; k < Count; ++k) {
            octaves[k].go_to_plane(block.lattice.z(block.first.z + z * block.step));
        }
        float* const plane = out + block.index(static_cast<std::int32_t>(tile.x), static_cast<std::int32_t>(tile.y), z);
        for (std::size_t y = 0; y < tile.ny; y += 2) {
            PairSums<Count> sums{octaves, pass, {}};
            for (std::size_t k = 0; k < Count; ++k) sums.of[k] = octaves[k].coefficients(y / 2);
            float* const row = plane + y * static_cast<std::size_t>(block.nx);
            const bool alone = y + 1 == tile.ny;
            const PairRows rows{{row, alone ? nullptr : row + block.nx}, {bases[y], alone ? 0.0F : bases[y + 1]}};
            put_pair<Ridged>(sums, rows, tile.nx);
        }
    }
}

template <bool Ridged>
void pair_octaves(std::size_t count, PairOctave* octaves, const SampleBlock& block, const Tile& tile, const Pass& pass,
                  const float* bases, float* out) {
    switch (count) {
        case 1:
            return pair_octaves<Ridged, 1>(octaves, block, tile, pass, bases, out);
        case 2:
            return pair_octaves<Ridged, 2>(octaves, block, tile, pass, bases, out);
        case 3:
            return pair_octaves<Ridged, 3>(octaves, block, tile, pass, bases, out);
        default:
            return pair_octaves<Ridged, 4>(octaves, block, tile, pass, bases, out);
    }
}

#else

// Smaller vectors have too few lanes for the columns of two rows.
struct PairOctave {
    bool set_up(const Octave&, const double*, const double*, const Tile&) const { return false; }
};

template <bool Ridged>
void pair_octaves(std::size_t, PairOctave*, const SampleBlock&, const Tile&, const Pass&, const float*, float*) {}

#endif

}  // namespace quarry::terrain::impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
