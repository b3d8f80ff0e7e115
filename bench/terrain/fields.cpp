#include "terrain/fields.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <quarry/terrain/combined_field.hpp>
#include <quarry/terrain/height_field.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/ridged_field.hpp>
#include <quarry/terrain/shape_fields.hpp>
#include <quarry/terrain/translated_field.hpp>
#include <quarry/terrain/warped_field.hpp>

namespace quarry::bench {
namespace {

using namespace terrain;

constexpr double kFieldSeconds = 0.008;
constexpr std::int32_t kSide = 33;
constexpr std::size_t kPoints = 1'000;

struct Subject {
    std::shared_ptr<const Field> field;
    bool has_noise;
};

Subject subject_named(std::string_view name) {
    const auto noise = std::make_shared<NoiseField>();
    if (name == "noise") return {noise, true};
    if (name == "height") return {std::make_shared<HeightField>(), true};
    if (name == "ridged") return {std::make_shared<RidgedField>(), true};
    const auto sphere = std::make_shared<SphereField>(Position{}, 40);
    if (name == "sphere") return {sphere, false};
    if (name == "box") return {std::make_shared<BoxField>(Position{}, Position{30, 20, 10}), false};
    if (name == "torus") return {std::make_shared<TorusField>(Position{}, 30, 10), false};
    if (name == "plane") return {std::make_shared<PlaneField>(Position{}, Position{0.1, 1, 0.2}), false};
    if (name == "combined") return {std::make_shared<CombinedField>(Combination::subtract, noise, sphere, 4), true};
    if (name == "warp") {
        return {std::make_shared<WarpedField>(noise, NoiseOptions{.octaves = 2, .amplitude = 8}), true};
    }
    if (name == "translated") return {std::make_shared<TranslatedField>(noise, Position{100, -3, 7}), true};
    throw std::runtime_error("no such field: " + std::string(name));
}

double ns_a_sample(const Field& field, std::int32_t step) {
    std::vector<float> samples(static_cast<std::size_t>(kSide) * kSide * kSide);
    const SampleBlock block{.first = {-16 * step, -16, 40 * step}, .step = step, .nx = kSide, .ny = kSide, .nz = kSide};
    const double seconds = seconds_per_call(kFieldSeconds, [&] { field.sample(block, samples.data()); });
    return seconds / static_cast<double>(block.size()) * 1e9;
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

void measure_field(std::string_view name, Answer& answer) {
    const Subject subject = subject_named(name);
    const Field& field = *subject.field;
    const std::string prefix(name);
    answer.add(prefix + "_row", "ns", ns_a_sample(field, 1));
    if (subject.has_noise) answer.add(prefix + "_direct", "ns", ns_a_sample(field, kLargestStep));
    const std::vector<Position> points = scattered();
    std::vector<float> densities(points.size());
    std::vector<Gradient> gradients(points.size());
    const double each = 1e9 / static_cast<double>(points.size());
    answer.add(prefix + "_points", "ns",
               each * seconds_per_call(kFieldSeconds, [&] { field.densities(points, densities); }));
    answer.add(prefix + "_gradient", "ns",
               each * seconds_per_call(kFieldSeconds, [&] { field.gradients(points, 1, gradients); }));
}

}  // namespace quarry::bench
