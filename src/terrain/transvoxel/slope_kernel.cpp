#include "terrain/transvoxel/slope_kernel.hpp"

#include "terrain/simd.hpp"
#include "terrain/transvoxel/chunk_grid.hpp"

#define HWY_DISABLED_TARGETS HWY_SSSE3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "terrain/transvoxel/slope_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace quarry::terrain::transvoxel::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;
using FloatMask = hn::Mask<Floats>;

// A sample and those beside it.
struct EndVectors {
    FloatVector middle, down_u, up_u, down_v, up_v;
};

// Along the edge, u and v.
struct LocalVectors {
    FloatVector a, u, v;
};

// Where the surface leaves one of the four squares beside the edge, from the vertex: along the edge, and away from it.
struct LeaveVectors {
    FloatVector along, away;
};

HWY_INLINE EndVectors load_end(const SlopeBatch::End& end, std::size_t i) {
    const Floats d;
    return {hn::Load(d, end.middle + i), hn::Load(d, end.down_u + i), hn::Load(d, end.up_u + i),
            hn::Load(d, end.down_v + i), hn::Load(d, end.up_v + i)};
}

// crossing(first, second)
HWY_INLINE FloatVector crossings(FloatVector first, FloatVector second) {
    const Floats d;
    const hn::RebindToSigned<Floats> di;
    const FloatVector nearest = hn::Set(d, kNearestToEnds);
    const FloatVector farthest = hn::Set(d, 1 - kNearestToEnds);
    const FloatVector exact = hn::Div(first, hn::Sub(first, second));
    const FloatVector above = hn::IfThenElse(hn::Gt(exact, nearest), exact, nearest);
    const FloatVector clamped = hn::IfThenElse(hn::Lt(above, farthest), above, farthest);
    const FloatVector units = hn::Add(hn::Mul(clamped, hn::Set(d, kCrossingUnits)), hn::Set(d, 0.5F));
    return hn::Mul(hn::ConvertTo(d, hn::ConvertTo(di, units)), hn::Set(d, 1 / kCrossingUnits));
}

// The square has the edge's samples and those beside them.
HWY_INLINE LeaveVectors leave(FloatVector low, FloatVector high, FloatVector beside_low, FloatVector beside_high,
                              FloatVector along) {
    const Floats d;
    const FloatVector zero = hn::Zero(d);
    const FloatVector one = hn::Set(d, 1.0F);
    const FloatMask low_inside = hn::Lt(low, zero);
    // Whether the surface crosses from the edge's lower end, and from its upper one.
    const FloatMask turns_low = hn::Xor(hn::Lt(beside_low, zero), low_inside);
    const FloatMask turns_high = hn::Not(hn::Xor(hn::Lt(beside_high, zero), low_inside));
    const FloatMask at_low = hn::And(turns_low, hn::Or(hn::Not(turns_high), low_inside));
    const FloatVector first = hn::IfThenElse(at_low, low, hn::IfThenElse(turns_high, high, beside_low));
    const FloatVector crossed = crossings(first, hn::IfThenElse(at_low, beside_low, beside_high));
    const FloatVector to = hn::IfThenElse(at_low, zero, hn::IfThenElse(turns_high, one, crossed));
    return {hn::Sub(to, along), hn::IfThenElse(hn::Or(at_low, turns_high), crossed, one)};
}

// The cosine of the widest angle between a slope and a corner's normal at which the slope still stands for both.
constexpr float kLeastAgreement = 0.4F;

// The sum of the normals of the four corners that the surface has around the vertex, where the slope leans far from one
// of them: there the samples change too fast for differences over two cells. Otherwise the slope.
HWY_INLINE LocalVectors straightened(const EndVectors& low, const EndVectors& high, FloatVector along,
                                     const LocalVectors& slope) {
    const Floats d;
    const FloatVector zero = hn::Zero(d);
    const LeaveVectors up_u = leave(low.middle, high.middle, low.up_u, high.up_u, along);
    const LeaveVectors up_v = leave(low.middle, high.middle, low.up_v, high.up_v, along);
    const LeaveVectors down_u = leave(low.middle, high.middle, low.down_u, high.down_u, along);
    const LeaveVectors down_v = leave(low.middle, high.middle, low.down_v, high.down_v, along);
    // Cross products around the edge, from u to v.
    const auto corner = [](const LeaveVectors& p, const LeaveVectors& q, FloatVector u, FloatVector v) HWY_ATTR {
        return LocalVectors{hn::Mul(p.away, q.away), u, v};
    };
    const auto minus = [](FloatVector p, FloatVector q) HWY_ATTR { return hn::Neg(hn::Mul(p, q)); };
    const LocalVectors corners[4] = {
        corner(up_u, up_v, minus(up_u.along, up_v.away), minus(up_u.away, up_v.along)),
        corner(up_v, down_u, hn::Mul(up_v.away, down_u.along), minus(up_v.along, down_u.away)),
        corner(down_u, down_v, hn::Mul(down_u.along, down_v.away), hn::Mul(down_u.away, down_v.along)),
        corner(down_v, up_u, minus(down_v.away, up_u.along), hn::Mul(down_v.along, up_u.away))};
    // The normal points along the edge where the lower end is inside.
    const FloatVector out = hn::IfThenElse(hn::Lt(low.middle, zero), hn::Set(d, 1.0F), hn::Set(d, -1.0F));
    const LocalVectors outwards{hn::Mul(out, slope.a), hn::Mul(out, slope.u), hn::Mul(out, slope.v)};
    const auto dot_of = [](const LocalVectors& p, const LocalVectors& q) HWY_ATTR {
        return hn::Add(hn::Add(hn::Mul(p.a, q.a), hn::Mul(p.u, q.u)), hn::Mul(p.v, q.v));
    };
    const FloatVector least = hn::Mul(hn::Set(d, kLeastAgreement * kLeastAgreement), dot_of(outwards, outwards));
    LocalVectors sum{zero, zero, zero};
    FloatMask agrees = hn::Eq(zero, zero);
    for (const LocalVectors& each : corners) {
        const FloatVector dot = dot_of(each, outwards);
        const FloatMask near = hn::Gt(hn::Mul(dot, dot), hn::Mul(least, dot_of(each, each)));
        agrees = hn::And(agrees, hn::And(hn::Gt(dot, zero), near));
        sum = {hn::Add(sum.a, each.a), hn::Add(sum.u, each.u), hn::Add(sum.v, each.v)};
    }
    return {hn::IfThenElse(agrees, slope.a, hn::Mul(out, sum.a)), hn::IfThenElse(agrees, slope.u, hn::Mul(out, sum.u)),
            hn::IfThenElse(agrees, slope.v, hn::Mul(out, sum.v))};
}

HWY_INLINE LocalVectors local_slopes(const SlopeBatch& batch, std::size_t i) {
    const Floats d;
    const EndVectors low = load_end(batch.low, i);
    const EndVectors high = load_end(batch.high, i);
    const hn::RebindToSigned<Floats> di;
    const FloatVector place = hn::Load(d, batch.place + i);
    const FloatVector along = hn::Sub(place, hn::ConvertTo(d, hn::ConvertTo(di, place)));
    const FloatVector half = hn::Set(d, 0.5F);
    const auto blended = [&](FloatVector from, FloatVector to)
                             HWY_ATTR { return hn::Add(from, hn::Mul(along, hn::Sub(to, from))); };
    const FloatVector down_u = blended(low.down_u, high.down_u);
    const FloatVector up_u = blended(low.up_u, high.up_u);
    const FloatVector down_v = blended(low.down_v, high.down_v);
    const FloatVector up_v = blended(low.up_v, high.up_v);
    const LocalVectors slope{hn::Sub(high.middle, low.middle), hn::Mul(half, hn::Sub(up_u, down_u)),
                             hn::Mul(half, hn::Sub(up_v, down_v))};
    return straightened(low, high, along, slope);
}

void slopes(const SlopeBatch& batch, std::size_t count, Gradient* out) {
    const Floats d;
    const hn::RebindToSigned<Floats> di;
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const LocalVectors slope = local_slopes(batch, i);
        const auto axis = hn::Load(di, batch.axis + i);
        const auto is_x = hn::RebindMask(d, hn::Eq(axis, hn::Zero(di)));
        const auto is_y = hn::RebindMask(d, hn::Eq(axis, hn::Set(di, 1)));
        const auto is_z = hn::RebindMask(d, hn::Eq(axis, hn::Set(di, 2)));
        const FloatVector x = hn::IfThenElse(is_x, slope.a, slope.u);
        const FloatVector y = hn::IfThenElse(is_y, slope.a, hn::IfThenElse(is_x, slope.u, slope.v));
        const FloatVector z = hn::IfThenElse(is_z, slope.a, slope.v);
        hn::StoreInterleaved3(x, y, z, d, &out[i].x);
    }
}

}  // namespace quarry::terrain::transvoxel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quarry::terrain::transvoxel {

void find_slopes(const SlopeBatch& batch, std::size_t count, Gradient* out) {
    using Kernel = void (*)(const SlopeBatch&, std::size_t, Gradient*);
    // In the order of SimdTarget, as the noise's.
    static constexpr Kernel kKernels[] = {HWY_CHOOSE_FALLBACK(slopes), HWY_CHOOSE_SSE4(slopes), HWY_CHOOSE_AVX2(slopes),
                                          HWY_CHOOSE_AVX3(slopes), HWY_CHOOSE_NEON(slopes)};
    kKernels[static_cast<std::size_t>(simd_target())](batch, count, out);
}

}  // namespace quarry::terrain::transvoxel
#endif
