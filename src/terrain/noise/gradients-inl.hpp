// The gradient of the noise at any points. Compiled once for each SIMD target.
#if defined(QUARRY_TERRAIN_NOISE_GRADIENTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef QUARRY_TERRAIN_NOISE_GRADIENTS_INL
#undef QUARRY_TERRAIN_NOISE_GRADIENTS_INL
#else
#define QUARRY_TERRAIN_NOISE_GRADIENTS_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "terrain/noise/corners-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace quarry::terrain::impl::HWY_NAMESPACE {

struct NoiseGradient {
    FloatVector value;
    GradientVectors slope;
};

// Points within their cells, and the same faded.
struct CellPoints {
    FloatVector u, v, w;
    FloatVector su, sv, sw;
};

// The product rule on the same blends: along z, then y, then x. corners.get<x, y, z>() are the gradients at the lattice
// points around.
template <class Corners>
HWY_INLINE NoiseGradient noise_gradient(const Corners& corners, const CellPoints& at) {
    const Floats d;
    const FloatVector one = hn::Set(d, 1.0F);
    const FloatVector dv = fade_slope(at.v);
    const FloatVector dw = fade_slope(at.w);
    const auto edge = [&](const GradientVectors& low, const GradientVectors& high, FloatVector x,
                          FloatVector y) HWY_ATTR {
        const FloatVector near = hn::Add(hn::Add(hn::Mul(low.x, x), hn::Mul(low.y, y)), hn::Mul(low.z, at.w));
        const FloatVector far =
            hn::Add(hn::Add(hn::Mul(high.x, x), hn::Mul(high.y, y)), hn::Mul(high.z, hn::Sub(at.w, one)));
        const FloatVector along_z = hn::Add(lerp(at.sw, low.z, high.z), hn::Mul(dw, hn::Sub(far, near)));
        return NoiseGradient{lerp(at.sw, near, far), {lerp(at.sw, low.x, high.x), lerp(at.sw, low.y, high.y), along_z}};
    };
    const auto face = [&](const NoiseGradient& low, const NoiseGradient& high) HWY_ATTR {
        const FloatVector along_y =
            hn::Add(lerp(at.sv, low.slope.y, high.slope.y), hn::Mul(dv, hn::Sub(high.value, low.value)));
        return NoiseGradient{lerp(at.sv, low.value, high.value),
                             {lerp(at.sv, low.slope.x, high.slope.x), along_y, lerp(at.sv, low.slope.z, high.slope.z)}};
    };
    const FloatVector v_high = hn::Sub(at.v, one);
    const FloatVector u_high = hn::Sub(at.u, one);
    const NoiseGradient low =
        face(edge(corners.template get<0, 0, 0>(), corners.template get<0, 0, 1>(), at.u, at.v),
             edge(corners.template get<0, 1, 0>(), corners.template get<0, 1, 1>(), at.u, v_high));
    const NoiseGradient high =
        face(edge(corners.template get<1, 0, 0>(), corners.template get<1, 0, 1>(), u_high, at.v),
             edge(corners.template get<1, 1, 0>(), corners.template get<1, 1, 1>(), u_high, v_high));
    const FloatVector along_x =
        hn::Add(lerp(at.su, low.slope.x, high.slope.x), hn::Mul(fade_slope(at.u), hn::Sub(high.value, low.value)));
    return {lerp(at.su, low.value, high.value),
            {along_x, lerp(at.su, low.slope.y, high.slope.y), lerp(at.su, low.slope.z, high.slope.z)}};
}

struct GradientSums {
    alignas(64) float x[kTileSamples + kMostLanes];
    alignas(64) float y[kTileSamples + kMostLanes];
    alignas(64) float z[kTileSamples + kMostLanes];

    HWY_INLINE void add(std::size_t i, bool begin, FloatVector factor, const GradientVectors& slope) {
        add_to(x + i, begin, factor, slope.x);
        add_to(y + i, begin, factor, slope.y);
        add_to(z + i, begin, factor, slope.z);
    }

  private:
    static HWY_INLINE void add_to(float* sum, bool begin, FloatVector factor, FloatVector slope) {
        const Floats d;
        const FloatVector before = begin ? hn::Zero(d) : hn::Load(d, sum);
        hn::Store(hn::Add(before, hn::Mul(factor, slope)), d, sum);
    }
};

HWY_INLINE FloatVector gradient_factor(const NoiseSum& sum, FloatVector scale, FloatVector noise) {
    if (!sum.ridged) return scale;
    const Floats d;
    const FloatVector twice = hn::Mul(scale, hn::Set(d, -2.0F));
    return hn::IfThenElse(hn::Lt(noise, hn::Zero(d)), hn::Neg(twice), twice);
}

HWY_INLINE void add_octave(const NoiseSum& sum, const Octave& octave, const BatchSamples& samples, std::size_t count,
                           bool begin, CornerTable& table, GradientSums& sums) {
    const Floats d;
    const FloatVector scale = hn::Set(d, static_cast<float>(octave.weight * octave.frequency));
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const CellPoints at{hn::Load(d, samples.x.rest + i),  hn::Load(d, samples.y.rest + i),
                            hn::Load(d, samples.z.rest + i),  hn::Load(d, samples.x.faded + i),
                            hn::Load(d, samples.y.faded + i), hn::Load(d, samples.z.faded + i)};
        const NoiseGradient noise = table.prepare(samples, i, count, octave.seed)
                                        ? noise_gradient(table.corners(samples, i), at)
                                        : noise_gradient(HashedCorners{samples.address(i, octave.seed)}, at);
        sums.add(i, begin, gradient_factor(sum, scale, noise.value), noise.slope);
    }
}

// out = (0, rise, 0) - sums.
HWY_INLINE void put_gradients(const GradientTerms& terms, const GradientSums& sums, std::size_t count, Gradient* out) {
    const Floats d;
    const FloatVector rise = hn::Set(d, terms.rise);
    std::size_t i = 0;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
        const FloatVector y = terms.flat ? rise : hn::Sub(rise, hn::Load(d, sums.y + i));
        hn::StoreInterleaved3(hn::Neg(hn::Load(d, sums.x + i)), y, hn::Neg(hn::Load(d, sums.z + i)), d, &out[i].x);
    }
    for (; i < count; ++i) out[i] = {-sums.x[i], terms.flat ? terms.rise : terms.rise - sums.y[i], -sums.z[i]};
}

HWY_INLINE void gradients_kernel(const NoiseSum& sum, const GradientTerms& terms, std::span<const Position> points,
                                 Gradient* out) {
    PointBatch batch;
    BatchSamples samples;
    GradientSums sums;
    CornerTable tables[kMostOctaves];
    for (std::size_t first = 0; first < points.size(); first += kTileSamples) {
        batch.fill(points.subspan(first, std::min(kTileSamples, points.size() - first)), terms.flat);
        for (int octave = 0; octave < terms.octaves; ++octave) {
            const Octave& wave = sum.octaves[static_cast<std::size_t>(octave)];
            samples.fill(batch, wave.frequency);
            add_octave(sum, wave, samples, batch.count, octave == 0, tables[octave], sums);
        }
        put_gradients(terms, sums, batch.count, out + first);
    }
}

}  // namespace quarry::terrain::impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
