#include "terrain/edits/brick_kernel.hpp"

#include <algorithm>
#include <limits>

#include "terrain/simd.hpp"

#define HWY_DISABLED_TARGETS HWY_SSSE3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "terrain/edits/brick_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace quarry::terrain::edits::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kBrickSize>;
using FloatVector = hn::Vec<Floats>;
using FloatMask = hn::Mask<Floats>;
using Ints = hn::RebindToSigned<Floats>;
using IntVector = hn::Vec<Ints>;
using Values = hn::Rebind<std::int16_t, Floats>;
using Doubles = hn::CappedTag<double, kBrickSize>;

constexpr float kMostStored = 32767;

// std::min and std::max, with their choice between equal numbers and where one is none.
HWY_INLINE FloatVector lower(FloatVector a, FloatVector b) {
    return hn::IfThenElse(hn::Lt(b, a), b, a);
}
HWY_INLINE FloatVector higher(FloatVector a, FloatVector b) {
    return hn::IfThenElse(hn::Lt(a, b), b, a);
}

HWY_INLINE FloatVector sphere(FloatVector x, FloatVector y, FloatVector z, FloatVector radius) {
    const FloatVector square = hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
    return hn::Sub(hn::Sqrt(square), radius);
}

HWY_INLINE FloatVector box(FloatVector x, FloatVector y, FloatVector z, const Vector3& half) {
    const Floats d;
    const FloatVector zero = hn::Zero(d);
    const FloatVector dx = hn::Sub(hn::Abs(x), hn::Set(d, half.x));
    const FloatVector dy = hn::Sub(hn::Abs(y), hn::Set(d, half.y));
    const FloatVector dz = hn::Sub(hn::Abs(z), hn::Set(d, half.z));
    const FloatVector outside = sphere(higher(dx, zero), higher(dy, zero), higher(dz, zero), zero);
    return hn::Add(outside, lower(higher(dx, higher(dy, dz)), zero));
}

HWY_INLINE FloatVector capsule(FloatVector x, FloatVector y, FloatVector z, const BrushForm& form) {
    const Floats d;
    const FloatVector line_x = hn::Set(d, form.extent.x);
    const FloatVector line_y = hn::Set(d, form.extent.y);
    const FloatVector line_z = hn::Set(d, form.extent.z);
    FloatVector share = hn::Zero(d);
    if (form.square > 0) {
        const FloatVector along = hn::Add(hn::Add(hn::Mul(x, line_x), hn::Mul(y, line_y)), hn::Mul(z, line_z));
        share = lower(higher(hn::Div(along, hn::Set(d, form.square)), hn::Zero(d)), hn::Set(d, 1.0F));
    }
    return sphere(hn::Sub(x, hn::Mul(share, line_x)), hn::Sub(y, hn::Mul(share, line_y)),
                  hn::Sub(z, hn::Mul(share, line_z)), hn::Set(d, form.radius));
}

HWY_INLINE FloatVector distance_to(const BrushForm& form, FloatVector x, float y, float z) {
    const Floats d;
    switch (form.shape) {
        case BrushShape::box:
            return box(x, hn::Set(d, y), hn::Set(d, z), form.extent);
        case BrushShape::capsule:
            return capsule(x, hn::Set(d, y), hn::Set(d, z), form);
        default:
            return sphere(x, hn::Set(d, y), hn::Set(d, z), hn::Set(d, form.radius));
    }
}

void distances(const BrushForm& form, const float* x, float y, float z, float* out) {
    const Floats d;
    for (std::size_t i = 0; i < kBrickSize; i += hn::Lanes(d)) {
        hn::StoreU(distance_to(form, hn::LoadU(d, x + i), y, z), d, out + i);
    }
}

// How much of an edit arrives: 0 .. strength.
HWY_INLINE FloatVector share_at(const DensityChange& change, FloatVector distance) {
    const Floats d;
    const FloatVector strength = hn::Set(d, change.strength);
    if (!(change.falloff > 0)) return hn::IfThenElseZero(hn::Lt(distance, hn::Set(d, change.inside)), strength);
    const FloatVector one = hn::Set(d, 1.0F);
    const FloatVector inwards = lower(hn::Div(hn::Neg(distance), hn::Set(d, change.falloff)), one);
    const FloatVector slope = hn::Sub(hn::Set(d, 3.0F), hn::Mul(hn::Set(d, 2.0F), inwards));
    const FloatVector eased = hn::Mul(hn::Mul(inwards, inwards), slope);
    return hn::IfThenElseZero(hn::Lt(distance, hn::Zero(d)), hn::Mul(strength, eased));
}

// Of all lanes, whether they are stored or not. By doubles, unless floats hold every result.
HWY_INLINE FloatVector densities_of(IntVector stored, const FixedSteps& fixed) {
    const Floats d;
    if (fixed.is_exact) return hn::Mul(hn::ConvertTo(d, stored), hn::Set(d, static_cast<float>(fixed.step)));
    const Ints di;
    const Doubles wide;
    const hn::Rebind<std::int32_t, Doubles> some_ints;
    const hn::Rebind<float, Doubles> some_floats;
    alignas(64) std::int32_t whole[kBrickSize];
    alignas(64) float result[kBrickSize];
    hn::Store(stored, di, whole);
    for (std::size_t i = 0; i < hn::Lanes(d); i += hn::Lanes(wide)) {
        const auto product = hn::Mul(hn::PromoteTo(wide, hn::LoadU(some_ints, whole + i)), hn::Set(wide, fixed.step));
        hn::StoreU(hn::DemoteTo(some_floats, product), some_floats, result + i);
    }
    return hn::Load(d, result);
}

// The nearest step, those half-way between two to the even one: adding so much leaves no room for fractions.
HWY_INLINE IntVector stored_of(FloatVector density, const FixedSteps& fixed) {
    const Floats d;
    const Ints di;
    if (fixed.is_exact) {
        const FloatVector no_fractions = hn::Set(d, 12'582'912.0F);  // 1.5 * 2^23
        const FloatVector steps = hn::Mul(density, hn::Set(d, static_cast<float>(fixed.steps)));
        const FloatVector within = lower(higher(steps, hn::Set(d, -kMostStored)), hn::Set(d, kMostStored));
        return hn::ConvertTo(di, hn::Sub(hn::Add(within, no_fractions), no_fractions));
    }
    const Doubles wide;
    const hn::Rebind<std::int32_t, Doubles> some_ints;
    const hn::Rebind<float, Doubles> some_floats;
    const auto no_fractions = hn::Set(wide, 6'755'399'441'055'744.0);  // 1.5 * 2^52
    alignas(64) float all[kBrickSize];
    alignas(64) std::int32_t result[kBrickSize];
    hn::Store(density, d, all);
    for (std::size_t i = 0; i < hn::Lanes(d); i += hn::Lanes(wide)) {
        const auto steps = hn::Mul(hn::PromoteTo(wide, hn::LoadU(some_floats, all + i)), hn::Set(wide, fixed.steps));
        const auto within = hn::Min(hn::Max(steps, hn::Set(wide, -kMostStored)), hn::Set(wide, kMostStored));
        const auto nearest = hn::Sub(hn::Add(within, no_fractions), no_fractions);
        hn::StoreU(hn::DemoteTo(some_ints, nearest), some_ints, result + i);
    }
    return hn::Load(di, result);
}

// Some columns of a row.
struct RowPlace {
    std::ptrdiff_t column;
    std::size_t number;   // of the row's first column within the brick
    const float* ground;  // of the first column
};

HWY_INLINE FloatVector target_at(const DensityChange& change, const BrickPart& part, const RowPlace& at,
                                 FloatVector now, FloatVector distance) {
    const Floats d;
    switch (change.towards) {
        case DensityChange::Towards::brush:
            return lower(now, distance);
        case DensityChange::Towards::hollow:
            return higher(now, hn::Neg(distance));
        case DensityChange::Towards::mean: {
            const float* const p = at.ground + at.column;
            const auto pair = [&](std::ptrdiff_t step) {
                return hn::Add(hn::LoadU(d, p - step), hn::LoadU(d, p + step));
            };
            const FloatVector sum = hn::Add(hn::Add(pair(1), pair(part.row)), pair(part.slice));
            return hn::Mul(sum, hn::Set(d, 1.0F / 6));
        }
        case DensityChange::Towards::lower:
            return hn::Sub(now, hn::Set(d, change.amount));
        default:
            return hn::LoadU(d, part.targets + at.number + at.column);
    }
}

HWY_INLINE std::uint32_t bits_of(FloatMask mask) {
    const Floats d;
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, mask, bytes);
    return bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8;
}

// One vector of a row. The bits of lanes that change; then all of its values are written.
HWY_INLINE std::uint32_t change_lanes(const DensityChange& change, const BrickPart& part, const RowPlace& at,
                                      FloatVector distance, std::int16_t* values) {
    const Floats d;
    const Ints di;
    const Values dv;
    const FloatVector share = share_at(change, distance);
    if (hn::AllFalse(d, hn::Gt(share, hn::Zero(d)))) return 0;
    const IntVector none = hn::Set(di, DensityBrick::kUntouched);
    const IntVector stored =
        part.stored == nullptr ? none : hn::PromoteTo(di, hn::LoadU(dv, part.stored + at.number + at.column));
    const FloatMask is_stored = hn::RebindMask(d, hn::Ne(stored, none));
    const FloatVector ground = hn::LoadU(d, at.ground + at.column);
    const FloatVector now =
        part.stored == nullptr ? ground : hn::IfThenElse(is_stored, densities_of(stored, change.fixed), ground);
    const FloatVector target = target_at(change, part, at, now, distance);
    const FloatVector between = hn::Add(now, hn::Mul(share, hn::Sub(target, now)));
    // All of it is exactly the target; none of it exactly what is there.
    const FloatVector some = hn::IfThenElse(hn::Gt(share, hn::Zero(d)), between, now);
    const FloatVector to = hn::IfThenElse(hn::Eq(share, hn::Set(d, 1.0F)), target, some);
    const FloatMask is_finite = hn::Le(hn::Abs(to), hn::Set(d, std::numeric_limits<float>::max()));
    const FloatMask moves = hn::AndNot(hn::Eq(now, to), is_finite);
    if (hn::AllFalse(d, moves)) return 0;
    const IntVector value = stored_of(hn::IfThenElseZero(moves, to), change.fixed);
    // What stays where it is but for less than half a step keeps its bits.
    const FloatMask differs = hn::RebindMask(d, hn::Ne(value, stored));
    const FloatMask is_far = hn::Not(hn::Lt(hn::Abs(hn::Sub(to, now)), hn::Set(d, change.least)));
    const FloatMask changes = hn::And(moves, hn::Or(hn::And(is_stored, differs), hn::AndNot(is_stored, is_far)));
    std::uint32_t bits = bits_of(changes);
    const auto columns = (std::uint32_t{2} << part.last.x) - (std::uint32_t{1} << part.first.x);
    bits &= columns >> at.column;
    if (bits == 0) return 0;
    const IntVector lanes = hn::Iota(di, static_cast<std::int32_t>(at.column));
    const auto is_within =
        hn::And(hn::Gt(lanes, hn::Set(di, part.first.x - 1)), hn::Lt(lanes, hn::Set(di, part.last.x + 1)));
    const IntVector result = hn::IfThenElse(hn::And(hn::RebindMask(di, changes), is_within), value, stored);
    hn::StoreU(hn::DemoteTo(dv, result), dv, values + at.number + at.column);
    return bits;
}

bool densities(const DensityChange& change, const BrickPart& part, ChangedRows& changed) {
    const Floats d;
    const Values dv;
    std::uint32_t any = 0;
    for (std::int32_t z = part.first.z; z <= part.last.z; ++z) {
        for (std::int32_t y = part.first.y; y <= part.last.y; ++y) {
            const auto row = static_cast<std::size_t>(z * kBrickSize + y);
            RowPlace at{0, row * kBrickSize,
                        part.ground + (y - part.first.y) * part.row + (z - part.first.z) * part.slice};
            std::uint32_t bits = 0;
            for (std::size_t i = 0; i < kBrickSize; i += hn::Lanes(d)) {
                at.column = static_cast<std::ptrdiff_t>(i);
                const FloatVector distance =
                    part.distances != nullptr
                        ? hn::LoadU(d, part.distances + at.number + i)
                        : distance_to(change.form, hn::Load(d, part.x.data() + i), part.y[static_cast<std::size_t>(y)],
                                      part.z[static_cast<std::size_t>(z)]);
                const std::uint32_t some = change_lanes(change, part, at, distance, changed.values.data());
                if (some == 0) {
                    const auto kept = part.stored == nullptr ? hn::Set(dv, DensityBrick::kUntouched)
                                                             : hn::LoadU(dv, part.stored + at.number + i);
                    hn::StoreU(kept, dv, changed.values.data() + at.number + i);
                }
                bits |= some << i;
            }
            changed.columns[row] = static_cast<std::uint16_t>(bits);
            any |= bits;
        }
    }
    return any != 0;
}

void overlay(FixedSteps fixed, const StoredRows& rows) {
    const Floats d;
    const Ints di;
    const Values dv;
    const auto lanes = static_cast<std::int32_t>(hn::Lanes(d));
    for (std::int32_t row = 0; row < rows.rows; ++row) {
        const DensityBrick::Value* const values = rows.values + row * rows.row_step;
        float* const out = rows.out + row * rows.out_step;
        std::int32_t i = 0;
        for (; i + lanes <= rows.columns; i += lanes) {
            const IntVector stored = hn::PromoteTo(di, hn::LoadU(dv, values + i));
            const FloatMask is_stored = hn::RebindMask(d, hn::Ne(stored, hn::Set(di, DensityBrick::kUntouched)));
            if (hn::AllFalse(d, is_stored)) continue;
            hn::StoreU(hn::IfThenElse(is_stored, densities_of(stored, fixed), hn::LoadU(d, out + i)), d, out + i);
        }
        for (; i < rows.columns; ++i) {
            if (values[i] != DensityBrick::kUntouched) out[i] = static_cast<float>(values[i] * fixed.step);
        }
    }
}

ValueRange value_range(const DensityBrick::Value* values) noexcept {
    const hn::ScalableTag<std::int16_t> d;
    const auto untouched = hn::Set(d, DensityBrick::kUntouched);
    auto low = hn::Set(d, 32767);
    auto high = hn::Set(d, -32767);
    for (std::size_t i = 0; i < DensityBrick::kValues; i += hn::Lanes(d)) {
        const auto value = hn::LoadU(d, values + i);
        low = hn::Min(low, hn::IfThenElse(hn::Eq(value, untouched), hn::Set(d, 32767), value));
        high = hn::Max(high, value);
    }
    alignas(64) std::int16_t lows[HWY_MAX_BYTES / sizeof(std::int16_t)];
    alignas(64) std::int16_t highs[HWY_MAX_BYTES / sizeof(std::int16_t)];
    hn::Store(low, d, lows);
    hn::Store(high, d, highs);
    ValueRange range;
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) range.include({lows[i], highs[i]});
    return range;
}

}  // namespace quarry::terrain::edits::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quarry::terrain::edits {
namespace {

struct BrickKernels {
    bool (*densities)(const DensityChange&, const BrickPart&, ChangedRows&);
    void (*distances)(const BrushForm&, const float*, float, float, float*);
    void (*overlay)(FixedSteps, const StoredRows&);
    ValueRange (*range)(const DensityBrick::Value*) noexcept;
};

const BrickKernels& brick_kernels() noexcept {
    // In the order of SimdTarget, as the noise's.
    static constexpr BrickKernels kKernels[] = {
        {HWY_CHOOSE_FALLBACK(densities), HWY_CHOOSE_FALLBACK(distances), HWY_CHOOSE_FALLBACK(overlay),
         HWY_CHOOSE_FALLBACK(value_range)},
        {HWY_CHOOSE_SSE4(densities), HWY_CHOOSE_SSE4(distances), HWY_CHOOSE_SSE4(overlay),
         HWY_CHOOSE_SSE4(value_range)},
        {HWY_CHOOSE_AVX2(densities), HWY_CHOOSE_AVX2(distances), HWY_CHOOSE_AVX2(overlay),
         HWY_CHOOSE_AVX2(value_range)},
        {HWY_CHOOSE_AVX3(densities), HWY_CHOOSE_AVX3(distances), HWY_CHOOSE_AVX3(overlay),
         HWY_CHOOSE_AVX3(value_range)},
        {HWY_CHOOSE_NEON(densities), HWY_CHOOSE_NEON(distances), HWY_CHOOSE_NEON(overlay),
         HWY_CHOOSE_NEON(value_range)},
    };
    return kKernels[static_cast<std::size_t>(simd_target())];
}

}  // namespace

bool change_densities(const DensityChange& change, const BrickPart& part, ChangedRows& changed) {
    return brick_kernels().densities(change, part, changed);
}

void row_distances(const BrushForm& form, const float* x, float y, float z, float* out) {
    brick_kernels().distances(form, x, y, z, out);
}

void overlay_rows(FixedSteps fixed, const StoredRows& rows) {
    brick_kernels().overlay(fixed, rows);
}

bool DensityBrick::look_through() noexcept {
    range = brick_kernels().range(values.data());
    return !range.empty();
}

}  // namespace quarry::terrain::edits
#endif
