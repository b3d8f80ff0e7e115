// The noise at any points. Compiled once for each SIMD target.
#if defined(QUARRY_TERRAIN_NOISE_DENSITIES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef QUARRY_TERRAIN_NOISE_DENSITIES_INL
#undef QUARRY_TERRAIN_NOISE_DENSITIES_INL
#else
#define QUARRY_TERRAIN_NOISE_DENSITIES_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "terrain/noise/block-inl.hpp"
#include "terrain/noise/corners-inl.hpp"
#include "terrain/noise/gradients-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace quarry::terrain::impl::HWY_NAMESPACE {

// The gradients around one cell of an octave's lattice. Long waves have hundreds of points in a row in one cell: then
// nothing has to be hashed or looked up, and what depends on the lattice alone is computed once.
class CellGradients {
  public:
    // Whether all points of the vector at i lie in one cell, which these gradients are then of.
    HWY_INLINE bool prepare(const BatchSamples& samples, std::size_t i, std::uint32_t seed) {
        const Ints di;
        const auto x = hn::Load(di, samples.x.cells + i);
        const auto y = hn::Load(di, samples.y.cells + i);
        const auto z = hn::Load(di, samples.z.cells + i);
        if (valid_ && are_all({x_, y_, z_}, x, y, z)) return true;
        const Cell first{samples.x.cells[i], samples.y.cells[i], samples.z.cells[i]};
        if (!are_all(first, x, y, z)) return false;
        x_ = first.x;
        y_ = first.y;
        z_ = first.z;
        valid_ = true;
        fill(seed);
        return true;
    }

    // The operations of corner_noise in their order; differences between constants are taken once.
    HWY_INLINE FloatVector noise(const CellPoints& at) const {
        const Floats d;
        const FloatVector one = hn::Set(d, 1.0F);
        const FloatVector w_high = hn::Sub(at.w, one);
        const auto blend = [&](const Pair& pair) HWY_ATTR {
            return hn::Add(hn::Set(d, pair.low), hn::Mul(at.sw, hn::Set(d, pair.change)));
        };
        const auto edge = [&](const Edge& of, FloatVector y) HWY_ATTR {
            const FloatVector along_z =
                lerp(at.sw, hn::Mul(hn::Set(d, of.low_z), at.w), hn::Mul(hn::Set(d, of.high_z), w_high));
            return RowVectors{blend(of.x), hn::Add(hn::Mul(blend(of.y), y), along_z)};
        };
        const FloatVector v_high = hn::Sub(at.v, one);
        const auto column = [&](const Edge* edges) HWY_ATTR {
            const RowVectors near = edge(edges[0], at.v);
            const RowVectors far = edge(edges[1], v_high);
            return RowVectors{lerp(at.sv, near.slope, far.slope), lerp(at.sv, near.height, far.height)};
        };
        const RowVectors low = column(edges_);
        return along_row(at.u, at.su, low, row_change(low, column(edges_ + 2)));
    }

  private:
    struct Pair {
        float low;
        float change;
    };

    // Along z between two lattice points.
    struct Edge {
        Pair x;
        Pair y;
        float low_z;
        float high_z;
    };

    struct Cell {
        std::int32_t x, y, z;
    };

    template <class Cells>
    static HWY_INLINE bool are_all(const Cell& cell, Cells x, Cells y, Cells z) {
        const Ints di;
        const auto in_x = hn::Eq(x, hn::Set(di, cell.x));
        const auto in_y = hn::Eq(y, hn::Set(di, cell.y));
        const auto in_z = hn::Eq(z, hn::Set(di, cell.z));
        return hn::AllTrue(di, hn::And(in_x, hn::And(in_y, in_z)));
    }

    HWY_NOINLINE void fill(std::uint32_t seed) {
        const auto word = [](std::int32_t number) { return static_cast<std::uint32_t>(number); };
        for (std::uint32_t i = 0; i < 4; ++i) {
            const std::uint32_t x = word(x_) + (i >> 1), y = word(y_) + (i & 1);
            const LatticeGradient low = lattice_gradient(hash(seed, x, y, word(z_)));
            const LatticeGradient high = lattice_gradient(hash(seed, x, y, word(z_) + 1));
            edges_[i] = {{low.x, high.x - low.x}, {low.y, high.y - low.y}, low.z, high.z};
        }
    }

    Edge edges_[4];  // by x, then y
    std::int32_t x_ = 0;
    std::int32_t y_ = 0;
    std::int32_t z_ = 0;
    bool valid_ = false;
};

// What an octave keeps from one batch of points to the next.
struct OctaveMemory {
    CellGradients cell;
    CornerTable table;
};

template <bool Ridged>
void batch_sums(const NoiseSum& sum, const PointBatch& batch, BatchSamples& samples, OctaveMemory* memory,
                float* sums) {
    const Floats d;
    for (int octave = 0; octave < sum.count; ++octave) {
        const Octave& wave = sum.octaves[static_cast<std::size_t>(octave)];
        samples.fill(batch, wave.frequency);
        CellGradients& cell = memory[octave].cell;
        CornerTable& table = memory[octave].table;
        for (std::size_t i = 0; i < batch.count; i += hn::Lanes(d)) {
            const CellPoints at{hn::Load(d, samples.x.rest + i),  hn::Load(d, samples.y.rest + i),
                                hn::Load(d, samples.z.rest + i),  hn::Load(d, samples.x.faded + i),
                                hn::Load(d, samples.y.faded + i), hn::Load(d, samples.z.faded + i)};
            FloatVector noise;
            if (cell.prepare(samples, i, wave.seed)) {
                noise = cell.noise(at);
            } else if (table.prepare(samples, i, batch.count, wave.seed)) {
                noise = corner_noise(table.corners(samples, i), at.u, at.v, at.w, at.su, at.sv, at.sw);
            } else {
                noise =
                    corner_noise(HashedCorners{samples.address(i, wave.seed)}, at.u, at.v, at.w, at.su, at.sv, at.sw);
            }
            FloatVector total = term<Ridged>(hn::Set(d, wave.weight), noise);
            if (octave != 0) total = hn::Add(hn::Load(d, sums + i), total);
            hn::Store(total, d, sums + i);
        }
    }
}

HWY_INLINE void points_kernel(const NoiseSum& sum, const Base& base, std::span<const Position> points, float* out) {
    alignas(64) float sums[kTileSamples + kMostLanes] = {};
    PointBatch batch;
    BatchSamples samples;
    OctaveMemory memory[kMostOctaves];
    for (std::size_t first = 0; first < points.size(); first += kTileSamples) {
        batch.fill(points.subspan(first, std::min(kTileSamples, points.size() - first)), false);
        if (sum.ridged) {
            batch_sums<true>(sum, batch, samples, memory, sums);
        } else {
            batch_sums<false>(sum, batch, samples, memory, sums);
        }
        for (std::size_t i = 0; i < batch.count; ++i) out[first + i] = base.at(batch.y[i]) - sums[i];
    }
}

}  // namespace quarry::terrain::impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
