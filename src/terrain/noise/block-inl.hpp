// The noise on blocks of lattice samples. Compiled once for each SIMD target.
#if defined(QUARRY_TERRAIN_NOISE_BLOCK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef QUARRY_TERRAIN_NOISE_BLOCK_INL
#undef QUARRY_TERRAIN_NOISE_BLOCK_INL
#else
#define QUARRY_TERRAIN_NOISE_BLOCK_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "terrain/noise/pairs-inl.hpp"
#include "terrain/noise/rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace quarry::terrain::impl::HWY_NAMESPACE {

// The noise at points whose cells and rests are given, gradients hashed for each of them, with the operations and the
// order of the row form.
HWY_INLINE FloatVector direct_noise(WordVector address, FloatVector u, FloatVector v, FloatVector w, FloatVector su,
                                    FloatVector sv, FloatVector sw) {
    const Floats d;
    const Words du;
    const FloatVector one = hn::Set(d, 1.0F);
    const FloatVector v_high = hn::Sub(v, one);
    const FloatVector w_high = hn::Sub(w, one);
    const auto edge = [&](WordVector at, FloatVector y) HWY_ATTR {
        const GradientVectors low = lattice_gradients(at);
        const GradientVectors high = lattice_gradients(hn::Add(at, hn::Set(du, kHashZ)));
        const FloatVector along_z = lerp(sw, hn::Mul(low.z, w), hn::Mul(high.z, w_high));
        return RowVectors{lerp(sw, low.x, high.x), hn::Add(hn::Mul(lerp(sw, low.y, high.y), y), along_z)};
    };
    const auto column = [&](WordVector at) HWY_ATTR {
        const RowVectors near = edge(at, v);
        const RowVectors far = edge(hn::Add(at, hn::Set(du, kHashY)), v_high);
        return RowVectors{lerp(sv, near.slope, far.slope), lerp(sv, near.height, far.height)};
    };
    const RowVectors low = column(address);
    return along_row(u, su, low, row_change(low, column(hn::Add(address, hn::Set(du, kHashX)))));
}

// One octave of one tile, all its planes, in direct form.
template <bool Ridged>
HWY_NOINLINE void direct_octave(const Octave& octave, const SampleBlock& block, const Tile& tile, const AxisSamples& xs,
                                const AxisSamples& ys, const Pass& pass, const float* bases, float* out) {
    const Floats d;
    const Words du;
    for (std::int32_t z = 0; z < block.nz; ++z) {
        const AxisPoint at = axis_point(block.lattice.z(block.first.z + z * block.step) * octave.frequency);
        const FloatVector w = hn::Set(d, at.rest);
        const FloatVector sw = fade(w);
        for (std::size_t y = 0; y < tile.ny; ++y) {
            const std::uint32_t start =
                static_cast<std::uint32_t>(ys.cells[y]) * kHashY + at.cell * kHashZ + octave.seed;
            const FloatVector v = hn::Set(d, ys.rest[y]);
            const FloatVector sv = hn::Set(d, ys.faded[y]);
            float* const row =
                out + block.index(static_cast<std::int32_t>(tile.x), static_cast<std::int32_t>(tile.y + y), z);
            for (std::size_t x = 0; x < tile.nx; x += hn::Lanes(d)) {
                const WordVector cells = hn::BitCast(du, hn::Load(Ints(), xs.cells + x));
                const WordVector address = hn::Add(hn::Mul(cells, hn::Set(du, kHashX)), hn::Set(du, start));
                const FloatVector noise =
                    direct_noise(address, hn::Load(d, xs.rest + x), v, w, hn::Load(d, xs.faded + x), sv, sw);
                put<Ridged>(pass, noise, bases[y], row + x, tile.nx - x);
            }
        }
    }
}

template <bool Ridged>
void tile_octaves(const NoiseSum& sum, const SampleBlock& block, NoiseForm form, const Tile& tile, const Base& base,
                  float* out) {
    alignas(64) double x[kTileSamples + kMostLanes];
    alignas(64) double y[kTileSamples + kMostLanes];
    float bases[kTileSamples];
    tile_coordinates(block, tile, x, y);
    for (std::size_t i = 0; i < tile.ny; ++i) bases[i] = base.at(y[i]);
    PairOctave pairs[kMostPairOctaves];
    AxisSamples xs;
    AxisSamples ys;
    for (int i = 0; i < sum.count;) {
        const bool first = i == 0;
        std::size_t paired = 0;
        const auto octave_at = [&](int at) -> const Octave& { return sum.octaves[static_cast<std::size_t>(at)]; };
        const auto fits = [&] {
            return paired < kMostPairOctaves && i < sum.count && use_rows(octave_at(i), block, form);
        };
        for (; fits() && pairs[paired].set_up(octave_at(i), x, y, tile); ++paired) ++i;
        if (paired > 0) {
            pair_octaves<Ridged>(paired, pairs, block, tile, {0, first, i == sum.count}, bases, out);
            continue;
        }
        const Octave& octave = octave_at(i++);
        xs.fill(x, tile.nx, octave.frequency);
        ys.fill(y, tile.ny, octave.frequency);
        const Pass pass{octave.weight, first, i == sum.count};
        if (use_rows(octave, block, form)) {
            rows_octave<Ridged>(octave, block, tile, xs, ys, pass, bases, out);
        } else {
            direct_octave<Ridged>(octave, block, tile, xs, ys, pass, bases, out);
        }
    }
}

HWY_INLINE void block_kernel(const NoiseSum& sum, const SampleBlock& block, NoiseForm form, const Base& base,
                             float* out) {
    const std::size_t width = tile_width(sum, block, form);
    const auto nx = static_cast<std::size_t>(block.nx);
    const auto ny = static_cast<std::size_t>(block.ny);
    for (std::size_t y = 0; y < ny; y += width) {
        for (std::size_t x = 0; x < nx; x += width) {
            const Tile tile{x, y, std::min(width, nx - x), std::min(width, ny - y)};
            if (sum.ridged) {
                tile_octaves<true>(sum, block, form, tile, base, out);
            } else {
                tile_octaves<false>(sum, block, form, tile, base, out);
            }
        }
    }
}

}  // namespace quarry::terrain::impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
