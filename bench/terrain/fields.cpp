#include "terrain/fields.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <quarry/terrain/field.hpp>

namespace quarry::bench {
namespace {

using namespace terrain;

constexpr double kFieldSeconds = 0.008;
constexpr std::int32_t kSide = 33;
constexpr std::size_t kPoints = 1'000;

double seconds_a_sample(const Field& field, std::int32_t step) {
    std::vector<float> samples(static_cast<std::size_t>(kSide) * kSide * kSide);
    const SampleBlock block{.first = {-16 * step, -16, 40 * step}, .step = step, .nx = kSide, .ny = kSide, .nz = kSide};
    const double seconds = seconds_per_call(kFieldSeconds, [&] { field.sample(block, samples.data()); });
    return seconds / static_cast<double>(block.size());
}

// Scattered, so that neighbours share nothing: multiples of irrational numbers.
std::vector<Position> scattered() {
    std::vector<Position> points;
    const auto part = [](double number) { return number - std::floor(number); };
    for (std::size_t i = 0; i < kPoints; ++i) {
        const auto number = static_cast<double>(i);
        points.push_back({200 * part(number * 0.8191725134), 60 * part(number * 0.6710436067) - 30,
                          200 * part(number * 0.5497004779)});
    }
    return points;
}

}  // namespace

TerrainMeasure measure_field(const std::string& name, std::shared_ptr<const Field> field, bool has_noise) {
    return [=](RowContext& context) {
        context.add_time(name + "_row", seconds_a_sample(*field, 1));
        if (has_noise) context.add_time(name + "_direct", seconds_a_sample(*field, kLargestStep));
        const std::vector<Position> points = scattered();
        std::vector<float> densities(points.size());
        std::vector<Gradient> gradients(points.size());
        const auto each = [&](double seconds) { return seconds / static_cast<double>(points.size()); };
        context.add_time(name + "_points",
                         each(seconds_per_call(kFieldSeconds, [&] { field->densities(points, densities); })));
        context.add_time(name + "_gradient",
                         each(seconds_per_call(kFieldSeconds, [&] { field->gradients(points, 1, gradients); })));
    };
}

}  // namespace quarry::bench
