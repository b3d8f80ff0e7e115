#include "terrain/rows.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <quarry/terrain/combined_field.hpp>
#include <quarry/terrain/height_field.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/ridged_field.hpp>
#include <quarry/terrain/shape_fields.hpp>
#include <quarry/terrain/translated_field.hpp>
#include <quarry/terrain/warped_field.hpp>

#include "showcase/showcase.hpp"
#include "terrain/chunks.hpp"
#include "terrain/fields.hpp"
#include "terrain/real_worlds.hpp"
#include "terrain/rejection.hpp"
#include "terrain/world.hpp"

namespace quarry::bench {
namespace {

using namespace terrain;

constexpr TerrainRow field_row(std::string_view name, std::string_view what,
                               TerrainMeasure (*make)(const std::string& name)) {
    return {RowInfo{.name = name, .unit = "ns", .what = what}, TerrainPart::field, make};
}

constexpr TerrainRow real_row(std::string_view name, std::string_view what,
                              TerrainMeasure (*make)(const std::string& name)) {
    return {RowInfo{.name = name, .unit = "chunks/s", .what = what}, TerrainPart::real, make};
}

template <std::int32_t Lod>
constexpr TerrainRow lod_row(std::string_view name, std::string_view what) {
    return {RowInfo{.name = name, .unit = "chunks/s", .what = what}, TerrainPart::chunk, [](const std::string&) {
                const auto chunks = std::make_shared<const SurfaceChunks>(Lod);
                return TerrainMeasure([=](RowContext& context) { chunks->measure(context); });
            }};
}

TerrainMeasure measure_rejection(std::string name, const NoiseOptions& options) {
    const auto rejection = std::make_shared<const Rejection>(std::move(name), options);
    return [=](RowContext& context) { rejection->measure(context); };
}

std::shared_ptr<const Field> noise() {
    return std::make_shared<NoiseField>();
}

std::shared_ptr<const Field> sphere() {
    return std::make_shared<SphereField>(Position{}, 40);
}

constexpr bool kHasNoise = true;

constexpr std::array kRows{
    field_row("noise", "hills with overhangs, 4 octaves (the field of the benchmark world)",
              [](const std::string& name) { return measure_field(name, noise(), kHasNoise); }),
    field_row("height", "hills without overhangs, 4 octaves",
              [](const std::string& name) { return measure_field(name, std::make_shared<HeightField>(), kHasNoise); }),
    field_row("ridged", "mountains, 4 octaves",
              [](const std::string& name) { return measure_field(name, std::make_shared<RidgedField>(), kHasNoise); }),
    field_row("sphere", "a sphere", [](const std::string& name) { return measure_field(name, sphere()); }),
    field_row("box", "a box",
              [](const std::string& name) {
                  return measure_field(name, std::make_shared<BoxField>(Position{}, Position{30, 20, 10}));
              }),
    field_row(
        "torus", "a torus",
        [](const std::string& name) { return measure_field(name, std::make_shared<TorusField>(Position{}, 30, 10)); }),
    field_row("plane", "a plane",
              [](const std::string& name) {
                  return measure_field(name, std::make_shared<PlaneField>(Position{}, Position{0.1, 1, 0.2}));
              }),
    field_row("combined", "noise without a sphere, blended",
              [](const std::string& name) {
                  const auto field = std::make_shared<CombinedField>(Combination::subtract, noise(), sphere(), 4);
                  return measure_field(name, field, kHasNoise);
              }),
    field_row("warp", "noise, warped by noise of 2 octaves",
              [](const std::string& name) {
                  const NoiseOptions shift{.octaves = 2, .amplitude = 8};
                  return measure_field(name, std::make_shared<WarpedField>(noise(), shift), kHasNoise);
              }),
    field_row("translated", "noise, moved",
              [](const std::string& name) {
                  const auto field = std::make_shared<TranslatedField>(noise(), Position{100, -3, 7});
                  return measure_field(name, field, kHasNoise);
              }),
    lod_row<0>("lod0", "surface chunks of the benchmark world at LOD 0: extract, with normals and transition ranges"),
    lod_row<1>("lod1", "the same at LOD 1"),
    lod_row<2>("lod2", "the same at LOD 2"),
    lod_row<3>("lod3", "the same at LOD 3"),
    lod_row<4>("lod4", "the same at LOD 4"),
    lod_row<5>("lod5", "the same at LOD 5"),
    real_row("showcase", "surface chunks of the showcase at LOD 0, with materials",
             [](const std::string& name) { return measure_real_world(name, showcase_field(), showcase_materials()); }),
    real_row("spheres", "noise without 10,000 spheres, in a ball of radius 1,024",
             [](const std::string& name) { return measure_real_world(name, noise_without_spheres_in_a_ball()); }),
    real_row("slab", "noise without 10,000 spheres, in the layer up to 48 units above and below 0",
             [](const std::string& name) { return measure_real_world(name, noise_without_spheres_in_a_layer()); }),
    real_row("caves", "a heightmap with caves",
             [](const std::string& name) { return measure_real_world(name, heightmap_with_caves()); }),
    real_row("planet", "a planet: a warped ball",
             [](const std::string& name) { return measure_real_world(name, planet()); }),
    real_row("overhangs", "mountains of warped ridges in three dimensions",
             [](const std::string& name) { return measure_real_world(name, overhanging_mountains()); }),
    TerrainRow{RowInfo{.name = "chunks",
                       .unit = "chunks/s",
                       .what = "64 chunks of the benchmark world, by each engine in its own way (needs --peers)"},
               TerrainPart::chunks, [](const std::string&) { return TerrainMeasure(measure_chunks); }},
    TerrainRow{RowInfo{.name = "reject",
                       .unit = "chunks/s",
                       .what = "empty chunks that bounds prove empty: how many of them, how fast"},
               TerrainPart::bounds, [](const std::string& name) { return measure_rejection(name, {}); }},
    TerrainRow{RowInfo{.name = "reject_hilly",
                       .unit = "chunks/s",
                       .what = "the same in a world of amplitude 256 and frequency 0.005"},
               TerrainPart::bounds,
               [](const std::string& name) { return measure_rejection(name, {.frequency = 0.005, .amplitude = 256}); }},
    TerrainRow{RowInfo{.name = "world",
                       .unit = "s",
                       .what = "the benchmark world, every chunk at full resolution, all meshes kept, in a new process",
                       .cold = true},
               TerrainPart::world, [](const std::string&) { return TerrainMeasure(measure_world); }},
};

constexpr std::array kAims{
    TerrainAim{.name = "lod0", .value = 8'000, .for_avx512 = true},
    TerrainAim{.name = "lod1", .value = 8'000, .for_avx512 = true},
    TerrainAim{.name = "lod2", .value = 8'000, .for_avx512 = true},
    TerrainAim{.name = "lod3", .value = 4'000, .for_avx512 = true},
    TerrainAim{.name = "lod4", .value = 4'000, .for_avx512 = true},
    TerrainAim{.name = "lod5", .value = 4'000, .for_avx512 = true},
    TerrainAim{.name = "showcase", .value = 3'000, .for_avx512 = true},
    TerrainAim{.name = "spheres_to_noise", .value = 1.5},
    TerrainAim{.name = "slab_to_noise", .value = 3},
    TerrainAim{.name = "chunks_times", .value = 40, .workers = 1},
    TerrainAim{.name = "reject_share", .value = 99.9},
    TerrainAim{.name = "reject", .value = 20'000'000},
    TerrainAim{.name = "reject_hilly_share", .value = 90},
    TerrainAim{.name = "reject_hilly", .value = 2'000'000},
    TerrainAim{.name = "world", .value = 0.5, .workers = 2},
    TerrainAim{.name = "world_efficiency", .value = 95, .workers = 2},
    TerrainAim{.name = "world_beyond", .value = 64},
};

}  // namespace

std::span<const TerrainRow> terrain_rows() {
    return kRows;
}

const TerrainRow* find_terrain_row(std::string_view name) {
    const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const auto& row) { return row.info.name == name; });
    return found == kRows.end() ? nullptr : &*found;
}

std::optional<TerrainAim> terrain_aim(std::string_view name, int workers, bool avx512) {
    for (const TerrainAim& aim : kAims) {
        const bool applies = (aim.workers == 0 || aim.workers == workers) && (avx512 || !aim.for_avx512);
        if (aim.name == name && applies) return aim;
    }
    return std::nullopt;
}

bool higher_is_better(std::string_view unit) {
    return unit.ends_with("/s") || unit == "%" || unit == "x";
}

}  // namespace quarry::bench
