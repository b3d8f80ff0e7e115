#include "bake/fields.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <quarry/jobs/error.hpp>
#include <quarry/terrain/covers.hpp>
#include <quarry/terrain/materials.hpp>

#include "showcase/showcase.hpp"
#include "tools/input.hpp"

namespace quarry::app {
namespace {

constexpr const char* kShowcase = "showcase";
constexpr const char* kNoise = "noise";
constexpr double kHighestFrequency = 1e3;

// Grass, rock where it is steep, earth in the valleys, snow on the heights, as the pictures' palette has them. Heights
// are shares of what the noise reaches.
std::shared_ptr<const terrain::Materials> hill_materials(const terrain::NoiseOptions& noise) {
    constexpr int kGrass = 0, kRock = 1, kSnow = 2, kEarth = 3;
    const double reach = std::max(noise.amplitude, 1.0);
    const auto height = [&](double share) { return noise.offset + share * reach; };
    const terrain::NoiseOptions ragged{.seed = noise.seed + 1,
                                       .octaves = 3,
                                       .frequency = std::min(noise.frequency * 2, kHighestFrequency),
                                       .amplitude = reach * 0.06};
    const auto below =
        std::make_shared<terrain::HeightCover>(terrain::CoverRange{.to = height(-0.25), .blend = reach * 0.08}, ragged);
    const auto above =
        std::make_shared<terrain::HeightCover>(terrain::CoverRange{.from = height(0.3), .blend = reach * 0.12}, ragged);
    const auto steep = std::make_shared<terrain::SlopeCover>(terrain::CoverRange{.from = 38, .blend = 14});
    return std::make_shared<terrain::LayeredMaterials>(
        kGrass, std::vector<terrain::MaterialLayer>{{kEarth, {below}}, {kSnow, {above}}, {kRock, {steep}}});
}

}  // namespace

terrain::NoiseOptions checked_noise(const BakeArguments& arguments) {
    struct Number {
        const char* option;
        const std::optional<double>& given;
        double& value;
    };
    terrain::NoiseOptions noise;
    const std::array<Number, 5> numbers{Number{"--frequency", arguments.frequency, noise.frequency},
                                        {"--amplitude", arguments.amplitude, noise.amplitude},
                                        {"--offset", arguments.offset, noise.offset},
                                        {"--lacunarity", arguments.lacunarity, noise.lacunarity},
                                        {"--persistence", arguments.persistence, noise.persistence}};
    const bool is_noise = arguments.field == kNoise;
    const auto refuse_unless = [](bool allowed, const char* option, bool given, const char* where) {
        if (!allowed && given) throw WrongInput(fmt::format("{} goes with {} only", option, where));
    };
    refuse_unless(is_noise || arguments.field == kShowcase, "--seed", arguments.seed.has_value(),
                  "--field noise and --field showcase");
    refuse_unless(is_noise, "--octaves", arguments.octaves.has_value(), "--field noise");
    for (const Number& number : numbers)
        refuse_unless(is_noise, number.option, number.given.has_value(), "--field noise");
    noise.seed = arguments.seed.value_or(noise.seed);
    noise.octaves = arguments.octaves.value_or(noise.octaves);
    for (const Number& number : numbers) number.value = number.given.value_or(number.value);
    try {
        check(noise);
    } catch (const std::invalid_argument& refusal) {
        throw WrongInput(fmt::format("--field noise: {}", refusal.what()));
    }
    return noise;
}

terrain::Described checked_field(const BakeArguments& arguments, const terrain::NoiseOptions& noise,
                                 const char* option) {
    if (arguments.field == kNoise) return {std::make_shared<terrain::NoiseField>(noise), hill_materials(noise)};
    if (arguments.field == kShowcase)
        return {terrain::showcase_field(noise.seed),
                terrain::showcase_materials(noise.seed),
                {},
                {},
                terrain::kShowcaseWaterLevel};
    try {
        return terrain::read_description(arguments.field);
    } catch (const Error& refusal) {
        throw WrongInput(fmt::format("{} takes showcase, noise or a JSON file: {}", option, one_line(refusal.what())));
    }
}

terrain::SimdTarget checked_simd(const std::string& name) {
    const std::vector<terrain::SimdTarget> targets = terrain::simd_targets();
    if (name.empty()) return targets.back();
    std::vector<std::string_view> names;
    for (const terrain::SimdTarget target : targets) names.push_back(name_of(target));
    return targets[one_of("--simd", name, names)];
}

}  // namespace quarry::app
