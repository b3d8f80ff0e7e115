#include "terrain/noise/sums.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "terrain/nearest_rounding.hpp"
#include "terrain/noise/noise.hpp"

namespace quarry::terrain::impl {
NoiseSum make_sum(const NoiseOptions& options, bool ridged) {
    const NearestRounding nearest;
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

double reach_of(const NoiseSum& sum) noexcept {
    double highest = 0;
    for (int i = 0; i < sum.count; ++i) {
        highest = std::max(highest, sum.octaves[static_cast<std::size_t>(i)].frequency);
    }
    return kMostCellsFromZero / highest;
}

void sum_densities(const NoiseSum& sum, const Base& base, std::span<const Position> points, std::span<float> out) {
    noise_kernels().points(sum, base, points, out.data());
}

void sum_gradients(const NoiseSum& sum, const Base& base, double spacing, bool flat, std::span<const Position> points,
                   std::span<Gradient> out) {
    const GradientTerms terms{octaves_shown(sum, spacing), static_cast<float>(base.slope), flat};
    noise_kernels().gradients(sum, terms, points, out.data());
}

}  // namespace quarry::terrain::impl
