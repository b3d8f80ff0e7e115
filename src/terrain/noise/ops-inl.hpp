// The noise's own operations on vectors. Compiled once for each SIMD target.
#if defined(QUARRY_TERRAIN_NOISE_OPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef QUARRY_TERRAIN_NOISE_OPS_INL
#undef QUARRY_TERRAIN_NOISE_OPS_INL
#else
#define QUARRY_TERRAIN_NOISE_OPS_INL
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "terrain/noise/noise.hpp"

HWY_BEFORE_NAMESPACE();
namespace quarry::terrain::impl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using Words = hn::RebindToUnsigned<Floats>;
using FloatVector = hn::Vec<Floats>;
using WordVector = hn::Vec<Words>;

// Only Mul, Add and Sub, in the written order: a fused form would give other bits where it exists.
HWY_INLINE FloatVector lerp(FloatVector t, FloatVector from, FloatVector to) {
    return hn::Add(from, hn::Mul(t, hn::Sub(to, from)));
}

HWY_INLINE FloatVector fade(FloatVector t) {
    const Floats d;
    const auto inner = hn::Sub(hn::Mul(t, hn::Set(d, 6.0F)), hn::Set(d, 15.0F));
    const auto outer = hn::Add(hn::Mul(t, inner), hn::Set(d, 10.0F));
    return hn::Mul(hn::Mul(hn::Mul(t, t), t), outer);
}

HWY_INLINE FloatVector fade_slope(FloatVector t) {
    const Floats d;
    const auto rest = hn::Sub(t, hn::Set(d, 1.0F));
    return hn::Mul(hn::Set(d, 30.0F), hn::Mul(hn::Mul(t, t), hn::Mul(rest, rest)));
}

HWY_INLINE WordVector mix(WordVector h) {
    const Words d;
    h = hn::Mul(hn::Xor(h, hn::ShiftRight<16>(h)), hn::Set(d, kMixFirst));
    h = hn::Mul(hn::Xor(h, hn::ShiftRight<15>(h)), hn::Set(d, kMixSecond));
    return hn::Xor(h, hn::ShiftRight<16>(h));
}

struct GradientVectors {
    FloatVector x;
    FloatVector y;
    FloatVector z;
};

HWY_INLINE GradientVectors lattice_gradients(WordVector address) {
    const Floats df;
    const Ints di;
    const Words du;
    const WordVector h = mix(address);
    const WordVector sign = hn::Set(du, 0x80000000U);
    // Signed comparison of 16-bit values: it exists on every target.
    const auto low = hn::BitCast(di, hn::And(h, hn::Set(du, 0xFFFFU)));
    const auto short_x = hn::RebindMask(df, hn::Lt(low, hn::Set(di, static_cast<std::int32_t>(kShortY))));
    const auto not_short_z = hn::RebindMask(df, hn::Lt(low, hn::Set(di, static_cast<std::int32_t>(kShortZ))));
    const FloatVector is_short = hn::Set(df, kShortComponent);
    const FloatVector is_long = hn::Set(df, kLongComponent);
    const FloatVector x = hn::IfThenElse(short_x, is_short, is_long);
    const FloatVector z = hn::IfThenElse(not_short_z, is_long, is_short);
    const FloatVector y = hn::IfThenElse(short_x, is_long, hn::IfThenElse(not_short_z, is_short, is_long));
    return {hn::Xor(x, hn::BitCast(df, hn::And(h, sign))),
            hn::Xor(y, hn::BitCast(df, hn::And(hn::ShiftLeft<1>(h), sign))),
            hn::Xor(z, hn::BitCast(df, hn::And(hn::ShiftLeft<2>(h), sign)))};
}

// The low 32 bits of whole numbers, as cell_number has them.
template <class Doubles>
HWY_INLINE void store_cells(hn::Vec<Doubles> cells, std::int32_t* out) {
    const Doubles dd;
    const auto words = hn::BitCast(hn::RebindToUnsigned<Doubles>(), hn::Add(cells, hn::Set(dd, 6755399441055744.0)));
#if HWY_TARGET == HWY_SCALAR
    *out = static_cast<std::int32_t>(static_cast<std::uint32_t>(hn::GetLane(words)));
#else
    const hn::Rebind<std::uint32_t, Doubles> du;
    const hn::Rebind<std::int32_t, Doubles> di;
    hn::StoreU(hn::BitCast(di, hn::TruncateTo(du, words)), di, out);
#endif
}

// Splits coordinates into lattice cells modulo 2^32 and what is left within the cell, 0 .. 1 (1 where the rest rounds
// up to it).
HWY_INLINE void split(const double* coordinates, std::size_t count, double frequency, std::int32_t* cells,
                      float* rest) {
    const hn::ScalableTag<double> dd;
    const hn::Rebind<float, decltype(dd)> df;
    const std::size_t lanes = hn::Lanes(dd);
    for (std::size_t i = 0; i < count; i += lanes) {
        const auto p = hn::Mul(hn::LoadU(dd, coordinates + i), hn::Set(dd, frequency));
        const auto cell = hn::Floor(p);
        store_cells<decltype(dd)>(cell, cells + i);
        hn::StoreU(hn::DemoteTo(df, hn::Sub(p, cell)), df, rest + i);
    }
}

// What an octave adds to the sum.
template <bool Ridged>
HWY_INLINE FloatVector term(FloatVector weight, FloatVector noise) {
    if constexpr (Ridged) {
        const Floats d;
        return hn::Mul(weight, hn::Sub(hn::Set(d, 1.0F), hn::Mul(hn::Set(d, 2.0F), hn::Abs(noise))));
    } else {
        return hn::Mul(weight, noise);
    }
}

}  // namespace quarry::terrain::impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
