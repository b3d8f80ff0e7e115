// One octave of the noise on a tile of samples, in row form. Compiled once for each SIMD target.
#if defined(QUARRY_TERRAIN_NOISE_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef QUARRY_TERRAIN_NOISE_ROWS_INL
#undef QUARRY_TERRAIN_NOISE_ROWS_INL
#else
#define QUARRY_TERRAIN_NOISE_ROWS_INL
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "terrain/noise/kernels.hpp"
#include "terrain/noise/ops-inl.hpp"
#include "terrain/noise/tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace quarry::terrain::impl::HWY_NAMESPACE {

// The samples of a tile along one axis, for one octave.
struct AxisSamples {
    alignas(64) std::int32_t cells[kTileSamples + kMostLanes];
    alignas(64) float rest[kTileSamples + kMostLanes];
    alignas(64) float faded[kTileSamples + kMostLanes];

    // Up to the next whole vector of floats: rows read that far.
    void fill(const double* coordinates, std::size_t count, double frequency) {
        const Floats d;
        const std::size_t padded = (count + hn::Lanes(d) - 1) / hn::Lanes(d) * hn::Lanes(d);
        split(coordinates, padded, frequency, cells, rest);
        for (std::size_t i = 0; i < padded; i += hn::Lanes(d)) hn::Store(fade(hn::Load(d, rest + i)), d, faded + i);
    }
};

// The samples of a row, with their lattice columns counted from the tile's first.
struct RowSamples {
    const AxisSamples& axis;
    std::size_t count;
    bool dense;
    alignas(64) std::int32_t columns[kTileSamples + kMostLanes];

    RowSamples(const AxisSamples& samples, std::size_t size)
        : axis(samples), count(size), dense(is_dense(samples.cells, size, hn::Lanes(Floats()))) {
        const Ints di;
        const auto first = hn::Set(di, samples.cells[0]);
        for (std::size_t i = 0; i < size; i += hn::Lanes(di)) {
            hn::Store(hn::Sub(hn::Load(di, samples.cells + i), first), di, columns + i);
        }
    }
};

// Where an octave's terms go: the first octave begins the sums, the last one takes them from the bases.
struct Pass {
    float weight;
    bool first;
    bool last;
};

// The end of a row must not touch what lies beyond it: that is another row's, or nobody's.
HWY_INLINE void put_tail(const Pass& pass, FloatVector sum, float base, float* out, std::size_t count) {
    const Floats d;
#if HWY_TARGET == HWY_AVX3
    const auto mask = hn::FirstN(d, count);
    if (!pass.first) sum = hn::Add(hn::MaskedLoad(mask, d, out), sum);
    if (pass.last) sum = hn::Sub(hn::Set(d, base), sum);
    hn::BlendedStore(sum, mask, d, out);
#else
    alignas(64) float sums[kMostLanes];
    hn::Store(sum, d, sums);
    for (std::size_t i = 0; i < count; ++i) {
        const float total = pass.first ? sums[i] : out[i] + sums[i];
        out[i] = pass.last ? base - total : total;
    }
#endif
}

template <bool Ridged>
HWY_INLINE void put(const Pass& pass, FloatVector noise, float base, float* out, std::size_t count) {
    const Floats d;
    FloatVector sum = term<Ridged>(hn::Set(d, pass.weight), noise);
    if (count < hn::Lanes(d)) {
        put_tail(pass, sum, base, out, count);
        return;
    }
    if (!pass.first) sum = hn::Add(hn::LoadU(d, out), sum);
    if (pass.last) sum = hn::Sub(hn::Set(d, base), sum);
    hn::StoreU(sum, d, out);
}

// The gradients at the lattice points of one plane of constant z under a tile.
struct GradientPlane {
    alignas(64) float x[kTilePoints * kPointStride];
    alignas(64) float y[kTilePoints * kPointStride];
    alignas(64) float z[kTilePoints * kPointStride];

    void fill(const PointRange& range, std::uint32_t seed, std::uint32_t plane) {
        const Floats df;
        const Words du;
        const std::size_t lanes = hn::Lanes(df);
        const WordVector steps = hn::Mul(hn::Iota(du, 0U), hn::Set(du, kHashX));
        for (std::size_t row = 0; row < range.rows; ++row) {
            const std::uint32_t start = range.first_x * kHashX +
                                        (range.first_y + static_cast<std::uint32_t>(row)) * kHashY + plane * kHashZ +
                                        seed;
            for (std::size_t column = 0; column < range.columns; column += lanes) {
                const auto at = start + static_cast<std::uint32_t>(column) * kHashX;
                const GradientVectors g = lattice_gradients(hn::Add(steps, hn::Set(du, at)));
                const std::size_t i = row * range.stride + column;
                hn::Store(g.x, df, x + i);
                hn::Store(g.y, df, y + i);
                hn::Store(g.z, df, z + i);
            }
        }
    }
};

// The two planes around a sample's z blended into one: what is left depends on x and y only. z holds the part of the
// gradients along z, already multiplied.
template <class Plane>
HWY_INLINE void blend_planes(std::size_t size, const Plane& low, const Plane& high, float rest, Plane& out) {
    const Floats d;
    const FloatVector w = hn::Set(d, rest);
    const FloatVector from_high = hn::Sub(w, hn::Set(d, 1.0F));
    const FloatVector s = fade(w);
    for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
        hn::Store(lerp(s, hn::Load(d, low.x + i), hn::Load(d, high.x + i)), d, out.x + i);
        hn::Store(lerp(s, hn::Load(d, low.y + i), hn::Load(d, high.y + i)), d, out.y + i);
        const FloatVector near = hn::Mul(hn::Load(d, low.z + i), w);
        hn::Store(lerp(s, near, hn::Mul(hn::Load(d, high.z + i), from_high)), d, out.z + i);
    }
}

// Along a row the noise in lattice column c is slope[c] * (x - c) + height[c], blended between two columns.
struct RowVectors {
    FloatVector slope;
    FloatVector height;
};

HWY_INLINE RowVectors row_coefficients(const GradientPlane& plane, std::size_t low, std::size_t high, FloatVector v,
                                       FloatVector s) {
    const Floats d;
    const FloatVector from_high = hn::Sub(v, hn::Set(d, 1.0F));
    const FloatVector near = hn::Add(hn::Mul(hn::Load(d, plane.y + low), v), hn::Load(d, plane.z + low));
    const FloatVector far = hn::Add(hn::Mul(hn::Load(d, plane.y + high), from_high), hn::Load(d, plane.z + high));
    return {lerp(s, hn::Load(d, plane.x + low), hn::Load(d, plane.x + high)), lerp(s, near, far)};
}

// From one lattice column to the next: what is added to slope and height when the next column counts fully.
HWY_INLINE RowVectors row_change(const RowVectors& low, const RowVectors& high) {
    return {hn::Sub(high.slope, low.slope), hn::Sub(hn::Sub(high.height, high.slope), low.height)};
}

HWY_INLINE FloatVector along_row(FloatVector u, FloatVector s, const RowVectors& row, const RowVectors& change) {
    const FloatVector near = hn::Add(hn::Mul(row.slope, u), row.height);
    return hn::Add(near, hn::Mul(s, hn::Add(hn::Mul(change.slope, u), change.height)));
}

template <class Indices>
HWY_INLINE RowVectors picked(const RowVectors& row, const Indices& indices) {
    return {hn::TableLookupLanes(row.slope, indices), hn::TableLookupLanes(row.height, indices)};
}

// The same for one sample: at the end of a row a whole vector for one or two would cost as much as for sixteen.
template <bool Ridged>
HWY_INLINE void put_one(const Pass& pass, float u, float s, const float* row, float base, float* out) {
    const float near = row[0] * u + row[kMostLanes];
    const float noise = near + s * (row[2 * kMostLanes] * u + row[3 * kMostLanes]);
    const float added = pass.weight * (Ridged ? 1.0F - 2.0F * std::abs(noise) : noise);
    const float sum = pass.first ? added : *out + added;
    *out = pass.last ? base - sum : sum;
}

// A row whose lattice columns fit one vector: coefficients stay in registers.
template <bool Ridged>
HWY_INLINE void short_row(const RowSamples& xs, const RowVectors& row, const Pass& pass, float base, float* out) {
    const Floats d;
    const Ints di;
    const std::size_t lanes = hn::Lanes(d);
    const auto next = hn::And(hn::Iota(di, 1), hn::Set(di, static_cast<std::int32_t>(lanes) - 1));
    const RowVectors change = row_change(row, picked(row, hn::IndicesFromVec(d, next)));
    const std::size_t single = xs.count % lanes <= 2 ? xs.count % lanes : 0;
    std::size_t i = 0;
    for (; i < xs.count - single; i += lanes) {
        const auto column = hn::IndicesFromVec(d, hn::Load(di, xs.columns + i));
        const FloatVector noise = along_row(hn::Load(d, xs.axis.rest + i), hn::Load(d, xs.axis.faded + i),
                                            picked(row, column), picked(change, column));
        put<Ridged>(pass, noise, base, out + i, xs.count - i);
    }
    if (single == 0) return;
    alignas(64) float coefficients[4 * kMostLanes];
    hn::Store(row.slope, d, coefficients);
    hn::Store(row.height, d, coefficients + kMostLanes);
    hn::Store(change.slope, d, coefficients + 2 * kMostLanes);
    hn::Store(change.height, d, coefficients + 3 * kMostLanes);
    for (; i < xs.count; ++i) {
        put_one<Ridged>(pass, xs.axis.rest[i], xs.axis.faded[i], coefficients + xs.columns[i], base, out + i);
    }
}

// The coefficients of a row of any length.
struct RowArrays {
    alignas(64) float slope[kPointStride + kMostLanes];
    alignas(64) float height[kPointStride + kMostLanes];
    alignas(64) float slope_change[kPointStride + kMostLanes];
    alignas(64) float height_change[kPointStride + kMostLanes];

    // For so many columns; slope and height are there.
    HWY_INLINE void fill_changes(std::size_t columns) {
        const Floats d;
        for (std::size_t i = 0; i < columns; i += hn::Lanes(d)) {
            const RowVectors low{hn::Load(d, slope + i), hn::Load(d, height + i)};
            const RowVectors high{hn::LoadU(d, slope + i + 1), hn::LoadU(d, height + i + 1)};
            const RowVectors change = row_change(low, high);
            hn::Store(change.slope, d, slope_change + i);
            hn::Store(change.height, d, height_change + i);
        }
    }
};

// Where a cell holds a sample or more, a vector of samples needs no more than a vector of columns.
template <bool Ridged>
HWY_INLINE void long_row(const RowSamples& xs, const RowArrays& row, const Pass& pass, float base, float* out) {
    const Floats d;
    const Ints di;
    for (std::size_t i = 0; i < xs.count; i += hn::Lanes(d)) {
        const FloatVector u = hn::Load(d, xs.axis.rest + i);
        const FloatVector s = hn::Load(d, xs.axis.faded + i);
        const auto column = hn::Load(di, xs.columns + i);
        FloatVector noise;
        if (xs.dense) {
            const auto start = xs.columns[i];
            const auto index = hn::IndicesFromVec(d, hn::Sub(column, hn::Set(di, start)));
            noise = along_row(
                u, s, picked({hn::LoadU(d, row.slope + start), hn::LoadU(d, row.height + start)}, index),
                picked({hn::LoadU(d, row.slope_change + start), hn::LoadU(d, row.height_change + start)}, index));
        } else {
            noise = along_row(
                u, s, {hn::GatherIndex(d, row.slope, column), hn::GatherIndex(d, row.height, column)},
                {hn::GatherIndex(d, row.slope_change, column), hn::GatherIndex(d, row.height_change, column)});
        }
        put<Ridged>(pass, noise, base, out + i, xs.count - i);
    }
}

// One octave of one tile, all its planes, in row form.
template <bool Ridged>
HWY_NOINLINE void rows_octave(const Octave& octave, const SampleBlock& block, const Tile& tile, const AxisSamples& xs,
                              const AxisSamples& ys, const Pass& pass, const float* bases, float* out) {
    const Floats d;
    const std::size_t lanes = hn::Lanes(d);
    const PointRange range = point_range(xs.cells, tile.nx, ys.cells, tile.ny, lanes);
    const RowSamples row_samples(xs, tile.nx);
    GradientPlane storage[3];
    GradientPlane* low = &storage[0];
    GradientPlane* high = &storage[1];
    GradientPlane& blended = storage[2];
    RowArrays arrays;
    std::uint32_t cell = 0;
    for (std::int32_t z = 0; z < block.nz; ++z) {
        const AxisPoint at = axis_point(block.lattice.z(block.first.z + z * block.step) * octave.frequency);
        if (z == 0 || at.cell != cell) {
            if (z != 0 && at.cell == cell + 1) {
                std::swap(low, high);
            } else {
                low->fill(range, octave.seed, at.cell);
            }
            high->fill(range, octave.seed, at.cell + 1);
            cell = at.cell;
        }
        blend_planes(range.rows * range.stride, *low, *high, at.rest, blended);
        for (std::size_t y = 0; y < tile.ny; ++y) {
            const std::size_t near = std::size_t{cells_between(ys.cells[0], ys.cells[y])} * range.stride;
            const FloatVector v = hn::Set(d, ys.rest[y]);
            const FloatVector s = hn::Set(d, ys.faded[y]);
            float* const row =
                out + block.index(static_cast<std::int32_t>(tile.x), static_cast<std::int32_t>(tile.y + y), z);
            if (range.columns <= lanes) {
                const RowVectors vectors = row_coefficients(blended, near, near + range.stride, v, s);
                short_row<Ridged>(row_samples, vectors, pass, bases[y], row);
                continue;
            }
            for (std::size_t i = 0; i < range.columns; i += lanes) {
                const RowVectors vectors = row_coefficients(blended, near + i, near + range.stride + i, v, s);
                hn::Store(vectors.slope, d, arrays.slope + i);
                hn::Store(vectors.height, d, arrays.height + i);
            }
            arrays.fill_changes(range.columns);
            long_row<Ridged>(row_samples, arrays, pass, bases[y], row);
        }
    }
}

}  // namespace quarry::terrain::impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
