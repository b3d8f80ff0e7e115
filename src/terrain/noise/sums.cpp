#include "terrain/noise/sums.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "terrain/noise/noise.hpp"

namespace quarry::terrain::impl {
namespace {

constexpr std::size_t kBatch = 48;

struct Batch {
    std::array<double, kBatch> x;
    std::array<double, kBatch> y;
    std::array<double, kBatch> z;

    PointArrays fill(std::span<const Position> points) noexcept {
        for (std::size_t i = 0; i < points.size(); ++i) {
            x[i] = points[i].x;
            y[i] = points[i].y;
            z[i] = points[i].z;
        }
        return {x.data(), y.data(), z.data(), points.size()};
    }
};

}  // namespace

NoiseSum make_sum(const NoiseOptions& options, bool ridged) {
    NoiseSum sum;
    sum.count = options.octaves;
    sum.ridged = ridged;
    // Products, not pow: its last bit differs between systems.
    std::array<double, kMostOctaves> shares{};
    double total = 0;
    double share = 1;
    double frequency = options.frequency;
    for (int i = 0; i < options.octaves; ++i) {
        const auto at = static_cast<std::size_t>(i);
        shares[at] = share;
        total += share;
        sum.octaves[at].frequency = frequency;
        sum.octaves[at].seed = octave_seed(options.seed, i);
        share *= options.persistence;
        frequency *= options.lacunarity;
    }
    for (std::size_t i = 0; i < kMostOctaves; ++i) {
        sum.octaves[i].weight = static_cast<float>(options.amplitude * shares[i] / total);
    }
    return sum;
}

int octaves_shown(const NoiseSum& sum, double spacing) noexcept {
    int count = 1;
    while (count < sum.count && sum.octaves[static_cast<std::size_t>(count)].frequency * 2 * spacing <= 1) ++count;
    return count;
}

void sum_densities(const NoiseSum& sum, const Base& base, std::span<const Position> points, std::span<float> out) {
    Batch batch;
    std::array<float, kBatch> bases;
    for (std::size_t first = 0; first < points.size(); first += kBatch) {
        const std::size_t count = std::min(kBatch, points.size() - first);
        const PointArrays arrays = batch.fill(points.subspan(first, count));
        for (std::size_t i = 0; i < count; ++i) bases[i] = base.at(batch.y[i]);
        noise_kernels().points(sum, arrays, bases.data(), out.data() + first);
    }
}

void sum_gradients(const NoiseSum& sum, const Base& base, double spacing, bool flat, std::span<const Position> points,
                   std::span<Gradient> out) {
    const int octaves = octaves_shown(sum, spacing);
    const auto rise = static_cast<float>(base.slope);
    Batch batch;
    std::array<float, kBatch> x;
    std::array<float, kBatch> y;
    std::array<float, kBatch> z;
    for (std::size_t first = 0; first < points.size(); first += kBatch) {
        const std::size_t count = std::min(kBatch, points.size() - first);
        const PointArrays arrays = batch.fill(points.subspan(first, count));
        if (flat) batch.y.fill(0);
        noise_kernels().gradients(sum, octaves, arrays, {x.data(), y.data(), z.data()});
        for (std::size_t i = 0; i < count; ++i) out[first + i] = {-x[i], flat ? rise : rise - y[i], -z[i]};
    }
}

}  // namespace quarry::terrain::impl
