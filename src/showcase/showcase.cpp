#include "showcase/showcase.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "quarry/terrain/combined_field.hpp"
#include "quarry/terrain/covers.hpp"
#include "quarry/terrain/height_field.hpp"
#include "quarry/terrain/materials.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/ridged_field.hpp"
#include "quarry/terrain/rough_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "quarry/terrain/translated_field.hpp"
#include "quarry/terrain/upright_field.hpp"
#include "quarry/terrain/warped_field.hpp"

namespace quarry::terrain {
namespace {

using FieldPointer = std::shared_ptr<const Field>;

FieldPointer combined(Combination how, FieldPointer first, FieldPointer second, double blend) {
    return std::make_shared<CombinedField>(how, std::move(first), std::move(second), blend);
}

// Ridges, bent sideways so that they are not straight, cut off above the summits.
FieldPointer mountains(std::uint64_t seed) {
    const auto ridges = std::make_shared<RidgedField>(NoiseOptions{.seed = seed,
                                                                   .octaves = 5,
                                                                   .frequency = 0.0009,
                                                                   .amplitude = 1000,
                                                                   .offset = -590,
                                                                   .lacunarity = 2.2,
                                                                   .persistence = 0.42});
    const auto warped = std::make_shared<WarpedField>(
        ridges, NoiseOptions{.seed = seed + 2, .octaves = 2, .frequency = 0.006, .amplitude = 26});
    const auto summits = std::make_shared<HeightField>(
        NoiseOptions{.seed = seed + 3, .octaves = 3, .frequency = 0.005, .amplitude = 140, .offset = 400});
    return combined(Combination::intersect, std::make_shared<UprightField>(warped), summits, 60);
}

// The bottom of the valleys: rolling ground that the mountains rise from, about half of it below the water.
FieldPointer valleys(std::uint64_t seed) {
    return std::make_shared<HeightField>(NoiseOptions{
        .seed = seed + 1, .octaves = 4, .frequency = 0.0035, .amplitude = 55, .offset = -8, .persistence = 0.4});
}

constexpr std::int32_t kStep = 32;  // between the heights that a place is chosen by
constexpr std::int32_t kAcross = 161;
constexpr std::int32_t kMiddle = kAcross / 2;

// Heights of the land around 0, on a grid.
class LandHeights {
  public:
    explicit LandHeights(const Field& land) : values_(static_cast<std::size_t>(kAcross) * kAcross) {
        const std::int32_t first = -kStep * kMiddle;
        // All parts of the land are a height below y: at y = 0 densities are minus the height.
        land.sample({.first = {first, 0, first}, .step = kStep, .nx = kAcross, .ny = 1, .nz = kAcross}, values_.data());
    }

    // The mean over a rectangle of what is above a level, each height counting up to a limit.
    float above(std::int32_t x, std::int32_t z, std::int32_t nx, std::int32_t nz, float level, float most) const {
        float sum = 0;
        for (std::int32_t j = z; j < z + nz; ++j) {
            for (std::int32_t i = x; i < x + nx; ++i) {
                const auto at = static_cast<std::size_t>(j) * kAcross + static_cast<std::size_t>(i);
                sum += std::clamp(-values_[at] - level, 0.0F, most);
            }
        }
        return sum / static_cast<float>(nx * nz);
    }

  private:
    std::vector<float> values_;
};

// How much a place, which looks along -z, is one for a fjord: high ground on both sides and at the end, little in the
// middle.
float suits_a_fjord(const LandHeights& land, std::int32_t x, std::int32_t z) {
    const float left = land.above(x - 12, z - 18, 8, 18, 0, 130);
    const float right = land.above(x + 5, z - 18, 8, 18, 0, 130);
    const float end = land.above(x - 6, z - 32, 13, 8, 40, 250);
    const float in_the_way = land.above(x - 4, z - 20, 9, 22, 10, 200);
    // Where the tunnel and the caves are.
    const float dug_left = land.above(x - 8, z - 6, 5, 5, 0, 110);
    const float dug_right = land.above(x + 5, z - 12, 6, 8, 0, 150);
    return 2 * std::min(left, right) + 0.7F * end + 1.5F * std::min(dug_left, dug_right) - 1.2F * in_the_way;
}

// The best place for the middle of the world, of those up to 1,536 units away. Computed from samples, which have the
// same bits everywhere, in one order: so it is the same everywhere.
Position middle_of(const Field& land) {
    const LandHeights heights(land);
    Position best{};
    float most = -1e30F;
    for (std::int32_t z = 33; z + 33 < kAcross; ++z) {
        for (std::int32_t x = 33; x + 33 < kAcross; ++x) {
            const float found = suits_a_fjord(heights, x, z);
            if (found <= most) continue;
            most = found;
            best = {static_cast<double>(kStep * (x - kMiddle)), 0, static_cast<double>(kStep * (z - kMiddle))};
        }
    }
    return best;
}

// Ground that is no higher than the distance from the fjord's shore allows. The fjord winds.
FieldPointer fjord(std::uint64_t seed) {
    const auto water = std::make_shared<CapsuleField>(Position{20, 0, 70}, Position{-60, 0, -520}, 66.0);
    // Everything is solid but the water: at y = 0 minus the distance from it.
    const auto land =
        combined(Combination::subtract, std::make_shared<PlaneField>(Position{0, 1e5, 0}, Position{0, 1, 0}), water, 0);
    const auto winding = std::make_shared<WarpedField>(
        land, NoiseOptions{.seed = seed + 4, .octaves = 3, .frequency = 0.0045, .amplitude = 56});
    return std::make_shared<UprightField>(winding, 0.85);
}

// A bay with steep walls, beside the fjord, and caves that lead from it into the mountain.
FieldPointer bay() {
    return std::make_shared<SphereField>(Position{150, 46, -190}, 70.0);
}

FieldPointer caves(std::uint64_t seed) {
    const auto tube = [](Position from, Position to, double radius) -> FieldPointer {
        return std::make_shared<CapsuleField>(from, to, radius);
    };
    FieldPointer all = tube({160, 14, -200}, {300, 26, -290}, 17);
    all = combined(Combination::unite, std::move(all), tube({130, 44, -210}, {150, 60, -360}, 15), 12);
    all = combined(Combination::unite, std::move(all), tube({150, 60, -360}, {300, 26, -290}, 18), 12);
    return std::make_shared<RoughField>(
        std::move(all), NoiseOptions{.seed = seed + 5, .octaves = 2, .frequency = 0.03, .amplitude = 4});
}

}  // namespace

std::shared_ptr<const Field> showcase_field(std::uint64_t seed) {
    const FieldPointer raw = combined(Combination::unite, mountains(seed), valleys(seed), 80);
    const Position middle = middle_of(*raw);
    FieldPointer land = std::make_shared<TranslatedField>(raw, Position{-middle.x, 0, -middle.z});
    land = combined(Combination::intersect, std::move(land), fjord(seed), 40);
    // Crags: waves steep enough to overhang on steep ground.
    land = std::make_shared<RoughField>(
        std::move(land),
        NoiseOptions{.seed = seed + 6, .octaves = 3, .frequency = 0.022, .amplitude = 13, .persistence = 0.4});
    land = combined(Combination::subtract, std::move(land), bay(), 24);
    const auto tunnel = std::make_shared<TorusField>(Position{-128, 14, -110}, 62.0, 12.0);
    land = combined(Combination::subtract, std::move(land), tunnel, 8);
    return combined(Combination::subtract, std::move(land), caves(seed), 8);
}

std::shared_ptr<const Materials> showcase_materials(std::uint64_t seed) {
    const NoiseOptions ragged{.seed = seed + 10, .octaves = 3, .frequency = 0.02, .amplitude = 26};
    const auto cover = [](auto made) { return std::vector<std::shared_ptr<const Cover>>{std::move(made)}; };
    const auto shore =
        std::make_shared<HeightCover>(CoverRange{.to = kShowcaseWaterLevel + 2.5, .blend = 4},
                                      NoiseOptions{.seed = seed + 11, .octaves = 2, .frequency = 0.05, .amplitude = 3});
    const auto steep = std::make_shared<SlopeCover>(CoverRange{.from = 46, .blend = 14});
    const auto high = std::make_shared<HeightCover>(CoverRange{.from = 130, .blend = 90});
    const auto snow_height = std::make_shared<HeightCover>(CoverRange{.from = 175, .blend = 50}, ragged);
    const auto not_steep = std::make_shared<SlopeCover>(CoverRange{.to = 50, .blend = 14});
    std::vector<MaterialLayer> layers;
    layers.push_back({.material = 3, .where = cover(shore)});
    layers.push_back({.material = 1, .where = cover(high), .strength = 0.8});
    layers.push_back({.material = 1, .where = cover(steep)});
    // First what is cheap: the ragged border is looked for only where snow may lie.
    layers.push_back({.material = 2, .where = {not_steep, snow_height}});
    return std::make_shared<LayeredMaterials>(0, std::move(layers));
}

}  // namespace quarry::terrain
