// Any points in the lattice of an octave. Compiled once for each SIMD target.
#if defined(QUARRY_TERRAIN_NOISE_POINTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef QUARRY_TERRAIN_NOISE_POINTS_INL
#undef QUARRY_TERRAIN_NOISE_POINTS_INL
#else
#define QUARRY_TERRAIN_NOISE_POINTS_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "terrain/noise/rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace quarry::terrain::impl::HWY_NAMESPACE {

// Up to a tile's length of points, padded to whole vectors with the last one.
struct PointBatch {
    alignas(64) double x[kTileSamples + kMostLanes];
    alignas(64) double y[kTileSamples + kMostLanes];
    alignas(64) double z[kTileSamples + kMostLanes];
    std::size_t count = 0;

    void fill(std::span<const Position> points, bool flat) {
        const hn::ScalableTag<double> d;
        const std::size_t lanes = hn::Lanes(d);
        count = points.size();
        std::size_t i = 0;
        for (; i + lanes <= count; i += lanes) {
            hn::Vec<decltype(d)> in_x, in_y, in_z;
            hn::LoadInterleaved3(d, &points[i].x, in_x, in_y, in_z);
            hn::Store(in_x, d, x + i);
            hn::Store(in_y, d, y + i);
            hn::Store(in_z, d, z + i);
        }
        for (; i < count + kMostLanes; ++i) {
            const Position& point = points[std::min(i, count - 1)];
            x[i] = point.x;
            y[i] = point.y;
            z[i] = point.z;
        }
        if (flat) std::fill_n(y, count + kMostLanes, 0.0);
    }
};

// A batch in the lattice of one octave.
struct BatchSamples {
    AxisSamples x;
    AxisSamples y;
    AxisSamples z;

    void fill(const PointBatch& batch, double frequency) {
        x.fill(batch.x, batch.count, frequency);
        y.fill(batch.y, batch.count, frequency);
        z.fill(batch.z, batch.count, frequency);
    }

    WordVector address(std::size_t i, std::uint32_t seed) const {
        const Ints di;
        const Words du;
        const WordVector in_x = hn::Mul(hn::BitCast(du, hn::Load(di, x.cells + i)), hn::Set(du, kHashX));
        const WordVector in_y = hn::Mul(hn::BitCast(du, hn::Load(di, y.cells + i)), hn::Set(du, kHashY));
        const WordVector in_z = hn::Mul(hn::BitCast(du, hn::Load(di, z.cells + i)), hn::Set(du, kHashZ));
        return hn::Add(hn::Add(in_x, in_y), hn::Add(in_z, hn::Set(du, seed)));
    }
};

}  // namespace quarry::terrain::impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
