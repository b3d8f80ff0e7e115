// The noise and its gradient at any points. Compiled once for each SIMD target.
#if defined(QUARRY_TERRAIN_NOISE_POINTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef QUARRY_TERRAIN_NOISE_POINTS_INL
#undef QUARRY_TERRAIN_NOISE_POINTS_INL
#else
#define QUARRY_TERRAIN_NOISE_POINTS_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "terrain/noise/block-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace quarry::terrain::impl::HWY_NAMESPACE {

// Up to a tile's length of points, padded to whole vectors with the last one.
struct PointBatch {
    alignas(64) double x[kTileSamples + kMostLanes];
    alignas(64) double y[kTileSamples + kMostLanes];
    alignas(64) double z[kTileSamples + kMostLanes];
    std::size_t count;

    PointBatch(const PointArrays& points, std::size_t first) : count(std::min(kTileSamples, points.count - first)) {
        for (std::size_t i = 0; i < count + kMostLanes; ++i) {
            const std::size_t at = first + std::min(i, count - 1);
            x[i] = points.x[at];
            y[i] = points.y[at];
            z[i] = points.z[at];
        }
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

template <bool Ridged>
void batch_sums(const NoiseSum& sum, const PointBatch& batch, BatchSamples& samples, float* sums) {
    const Floats d;
    for (int octave = 0; octave < sum.count; ++octave) {
        const Octave& wave = sum.octaves[static_cast<std::size_t>(octave)];
        samples.fill(batch, wave.frequency);
        for (std::size_t i = 0; i < batch.count; i += hn::Lanes(d)) {
            const FloatVector noise = direct_noise(samples.address(i, wave.seed), hn::Load(d, samples.x.rest + i),
                                                   hn::Load(d, samples.y.rest + i), hn::Load(d, samples.z.rest + i),
                                                   hn::Load(d, samples.x.faded + i), hn::Load(d, samples.y.faded + i),
                                                   hn::Load(d, samples.z.faded + i));
            FloatVector total = term<Ridged>(hn::Set(d, wave.weight), noise);
            if (octave != 0) total = hn::Add(hn::Load(d, sums + i), total);
            hn::Store(total, d, sums + i);
        }
    }
}

HWY_INLINE void points_kernel(const NoiseSum& sum, const PointArrays& points, const float* bases, float* out) {
    alignas(64) float sums[kTileSamples + kMostLanes] = {};
    BatchSamples samples;
    for (std::size_t first = 0; first < points.count; first += kTileSamples) {
        const PointBatch batch(points, first);
        if (sum.ridged) {
            batch_sums<true>(sum, batch, samples, sums);
        } else {
            batch_sums<false>(sum, batch, samples, sums);
        }
        for (std::size_t i = 0; i < batch.count; ++i) out[first + i] = bases[first + i] - sums[i];
    }
}

struct NoiseGradient {
    FloatVector value;
    GradientVectors slope;
};

// The product rule on the same blends: along z, then y, then x.
HWY_INLINE NoiseGradient noise_gradient(WordVector address, FloatVector u, FloatVector v, FloatVector w) {
    const Floats d;
    const Words du;
    const FloatVector one = hn::Set(d, 1.0F);
    const FloatVector su = fade(u);
    const FloatVector sv = fade(v);
    const FloatVector sw = fade(w);
    const FloatVector dv = fade_slope(v);
    const FloatVector dw = fade_slope(w);
    const auto edge = [&](WordVector at, FloatVector x, FloatVector y) HWY_ATTR {
        const GradientVectors low = lattice_gradients(at);
        const GradientVectors high = lattice_gradients(hn::Add(at, hn::Set(du, kHashZ)));
        const FloatVector near = hn::Add(hn::Add(hn::Mul(low.x, x), hn::Mul(low.y, y)), hn::Mul(low.z, w));
        const FloatVector far =
            hn::Add(hn::Add(hn::Mul(high.x, x), hn::Mul(high.y, y)), hn::Mul(high.z, hn::Sub(w, one)));
        const FloatVector along_z = hn::Add(lerp(sw, low.z, high.z), hn::Mul(dw, hn::Sub(far, near)));
        return NoiseGradient{lerp(sw, near, far), {lerp(sw, low.x, high.x), lerp(sw, low.y, high.y), along_z}};
    };
    const auto face = [&](WordVector at, FloatVector x) HWY_ATTR {
        const NoiseGradient low = edge(at, x, v);
        const NoiseGradient high = edge(hn::Add(at, hn::Set(du, kHashY)), x, hn::Sub(v, one));
        const FloatVector along_y =
            hn::Add(lerp(sv, low.slope.y, high.slope.y), hn::Mul(dv, hn::Sub(high.value, low.value)));
        return NoiseGradient{lerp(sv, low.value, high.value),
                             {lerp(sv, low.slope.x, high.slope.x), along_y, lerp(sv, low.slope.z, high.slope.z)}};
    };
    const NoiseGradient low = face(address, u);
    const NoiseGradient high = face(hn::Add(address, hn::Set(du, kHashX)), hn::Sub(u, one));
    const FloatVector along_x =
        hn::Add(lerp(su, low.slope.x, high.slope.x), hn::Mul(fade_slope(u), hn::Sub(high.value, low.value)));
    return {lerp(su, low.value, high.value),
            {along_x, lerp(su, low.slope.y, high.slope.y), lerp(su, low.slope.z, high.slope.z)}};
}

struct GradientSums {
    alignas(64) float x[kTileSamples + kMostLanes] = {};
    alignas(64) float y[kTileSamples + kMostLanes] = {};
    alignas(64) float z[kTileSamples + kMostLanes] = {};
};

HWY_INLINE void add_octave(const NoiseSum& sum, const Octave& octave, const BatchSamples& samples, std::size_t count,
                           GradientSums& sums) {
    const Floats d;
    const FloatVector scale = hn::Set(d, static_cast<float>(octave.weight * octave.frequency));
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const NoiseGradient noise = noise_gradient(samples.address(i, octave.seed), hn::Load(d, samples.x.rest + i),
                                                   hn::Load(d, samples.y.rest + i), hn::Load(d, samples.z.rest + i));
        FloatVector factor = scale;
        if (sum.ridged) {
            const FloatVector twice = hn::Mul(scale, hn::Set(d, -2.0F));
            factor = hn::IfThenElse(hn::Lt(noise.value, hn::Zero(d)), hn::Neg(twice), twice);
        }
        hn::Store(hn::Add(hn::Load(d, sums.x + i), hn::Mul(factor, noise.slope.x)), d, sums.x + i);
        hn::Store(hn::Add(hn::Load(d, sums.y + i), hn::Mul(factor, noise.slope.y)), d, sums.y + i);
        hn::Store(hn::Add(hn::Load(d, sums.z + i), hn::Mul(factor, noise.slope.z)), d, sums.z + i);
    }
}

HWY_INLINE void gradients_kernel(const NoiseSum& sum, int octaves, const PointArrays& points,
                                 const GradientArrays& out) {
    BatchSamples samples;
    for (std::size_t first = 0; first < points.count; first += kTileSamples) {
        const PointBatch batch(points, first);
        GradientSums sums;
        for (int octave = 0; octave < octaves; ++octave) {
            const Octave& wave = sum.octaves[static_cast<std::size_t>(octave)];
            samples.fill(batch, wave.frequency);
            add_octave(sum, wave, samples, batch.count, sums);
        }
        std::copy_n(sums.x, batch.count, out.x + first);
        std::copy_n(sums.y, batch.count, out.y + first);
        std::copy_n(sums.z, batch.count, out.z + first);
    }
}

}  // namespace quarry::terrain::impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
