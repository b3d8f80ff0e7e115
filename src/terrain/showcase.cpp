#include "quarry/terrain/showcase.hpp"

#include <utility>
#include <vector>

#include "quarry/terrain/combined_field.hpp"
#include "quarry/terrain/covers.hpp"
#include "quarry/terrain/height_field.hpp"
#include "quarry/terrain/materials.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/ridged_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "quarry/terrain/translated_field.hpp"
#include "quarry/terrain/warped_field.hpp"

namespace quarry::terrain {
namespace {

using FieldPointer = std::shared_ptr<const Field>;

FieldPointer combined(Combination how, FieldPointer first, FieldPointer second, double blend) {
    return std::make_shared<CombinedField>(how, std::move(first), std::move(second), blend);
}

// Ridges, bent sideways and upwards so that their faces lean over.
FieldPointer mountains(std::uint64_t seed) {
    const auto ridges = std::make_shared<RidgedField>(NoiseOptions{.seed = seed,
                                                                   .octaves = 5,
                                                                   .frequency = 0.0006,
                                                                   .amplitude = 1150,
                                                                   .offset = -660,
                                                                   .lacunarity = 2.2,
                                                                   .persistence = 0.42});
    const auto warped = std::make_shared<WarpedField>(
        ridges, NoiseOptions{.seed = seed + 2, .octaves = 1, .frequency = 0.009, .amplitude = 20});
    // The noise is one of three dimensions: above the summits are pieces of it that hang in the air.
    const auto summits = std::make_shared<HeightField>(
        NoiseOptions{.seed = seed + 3, .octaves = 2, .frequency = 0.007, .amplitude = 60, .offset = 335});
    return combined(Combination::intersect, warped, summits, 40);
}

// The bottom of the valleys: rolling ground that the mountains rise from, most of it below the water.
FieldPointer valleys(std::uint64_t seed) {
    return std::make_shared<HeightField>(NoiseOptions{
        .seed = seed + 1, .octaves = 4, .frequency = 0.0035, .amplitude = 55, .offset = -14, .persistence = 0.4});
}

// Holes of a ball that has some: where two noises, which fill half of the space each, are both solid. Their amplitude
// is so great that height hardly counts.
FieldPointer caves(std::uint64_t seed, Position centre, double radius) {
    const auto holes = [&](std::uint64_t which) {
        return std::make_shared<NoiseField>(
            NoiseOptions{.seed = seed + which, .octaves = 2, .frequency = 0.021, .amplitude = 400, .offset = centre.y});
    };
    return combined(Combination::intersect, std::make_shared<SphereField>(centre, radius),
                    combined(Combination::intersect, holes(5), holes(6), 0), 6);
}

}  // namespace

std::shared_ptr<const Field> showcase_field(std::uint64_t seed) {
    // Moved so that the middle of the world is at the end of a fjord.
    const FieldPointer land = std::make_shared<TranslatedField>(
        combined(Combination::unite, mountains(seed), valleys(seed), 80), Position{500, 0, -300});
    const auto tunnel = std::make_shared<TorusField>(Position{132, 8, -165}, 70.0, 9.0);
    const FieldPointer dug = combined(Combination::subtract, land, tunnel, 3);
    return combined(Combination::subtract, dug, caves(seed, {58, 72, -505}, 80), 4);
}

std::shared_ptr<const Materials> showcase_materials(std::uint64_t seed) {
    const NoiseOptions ragged{.seed = seed + 10, .octaves = 3, .frequency = 0.02, .amplitude = 26};
    const auto cover = [](auto made) { return std::vector<std::shared_ptr<const Cover>>{std::move(made)}; };
    const auto shore =
        std::make_shared<HeightCover>(CoverRange{.to = kShowcaseWaterLevel + 2.5, .blend = 4},
                                      NoiseOptions{.seed = seed + 11, .octaves = 2, .frequency = 0.05, .amplitude = 3});
    const auto steep = std::make_shared<SlopeCover>(CoverRange{.from = 43, .blend = 14});
    const auto high = std::make_shared<HeightCover>(CoverRange{.from = 130, .blend = 70}, ragged);
    const auto snow_height = std::make_shared<HeightCover>(CoverRange{.from = 175, .blend = 50}, ragged);
    const auto not_steep = std::make_shared<SlopeCover>(CoverRange{.to = 50, .blend = 14});
    std::vector<MaterialLayer> layers;
    layers.push_back({.material = 3, .where = cover(shore)});
    layers.push_back({.material = 1, .where = cover(high), .strength = 0.8});
    layers.push_back({.material = 1, .where = cover(steep)});
    layers.push_back({.material = 2, .where = {snow_height, not_steep}});
    return std::make_shared<LayeredMaterials>(0, std::move(layers));
}

}  // namespace quarry::terrain
