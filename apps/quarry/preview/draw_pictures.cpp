// Draws the pictures of the documentation: quarry_pictures FOLDER. See scripts/draw-pictures.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "preview/render.hpp"
#include "preview/showcase_view.hpp"
#include "quarry/terrain/cellular_field.hpp"
#include "quarry/terrain/combined_field.hpp"
#include "quarry/terrain/covers.hpp"
#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/edited_field.hpp"
#include "quarry/terrain/edited_materials.hpp"
#include "quarry/terrain/height_field.hpp"
#include "quarry/terrain/heightmap_field.hpp"
#include "quarry/terrain/materials.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/raycast.hpp"
#include "quarry/terrain/ridged_field.hpp"
#include "quarry/terrain/rotated_field.hpp"
#include "quarry/terrain/rough_field.hpp"
#include "quarry/terrain/scaled_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "quarry/terrain/terraced_field.hpp"
#include "quarry/terrain/translated_field.hpp"
#include "quarry/terrain/upright_field.hpp"
#include "quarry/terrain/warped_field.hpp"
#include "quarry/terrain/world.hpp"

namespace {

using namespace quarry;
using namespace quarry::app::preview;
using FieldPointer = std::shared_ptr<const terrain::Field>;
using terrain::Combination;
using terrain::NoiseOptions;
using terrain::Position;

struct FieldPicture {
    std::string name;
    FieldPointer field;
};

FieldPointer combined(Combination how, FieldPointer first, FieldPointer second, double blend = 0) {
    return std::make_shared<terrain::CombinedField>(how, std::move(first), std::move(second), blend);
}

// Rings around a crater.
FieldPointer heightmap() {
    constexpr std::int32_t kMiddle = 48;
    constexpr std::int32_t kSize = 2 * kMiddle + 1;
    std::vector<std::uint16_t> values;
    for (std::int32_t z = 0; z < kSize; ++z) {
        for (std::int32_t x = 0; x < kSize; ++x) {
            const double out = std::hypot(x - kMiddle, z - kMiddle) / kMiddle;
            const double height = 0.5 + 0.5 * std::cos(out * 11) * std::exp(-1.2 * out);
            values.push_back(static_cast<std::uint16_t>(height * 65'535));
        }
    }
    const auto map = std::make_shared<terrain::Heightmap>(kSize, kSize, std::move(values));
    return std::make_shared<terrain::HeightmapField>(
        map, terrain::HeightmapOptions{.height_scale = 56, .offset = -34, .origin_x = -48, .origin_z = -48});
}

std::vector<FieldPicture> field_pictures() {
    const NoiseOptions noise{.seed = 4, .frequency = 0.022, .amplitude = 34};
    const FieldPointer ball = std::make_shared<terrain::SphereField>(Position{10, 8, 4}, 26);
    const FieldPointer box = std::make_shared<terrain::BoxField>(Position{-10, -8, -4}, Position{24, 16, 24});
    const FieldPointer ring = std::make_shared<terrain::TorusField>(Position{0, 0, 0}, 30, 11);
    const NoiseOptions warp{.seed = 6, .octaves = 2, .frequency = 0.03, .amplitude = 16};
    return {
        {"noise", std::make_shared<terrain::NoiseField>(noise)},
        {"height", std::make_shared<terrain::HeightField>(noise)},
        {"ridged", std::make_shared<terrain::RidgedField>(
                       NoiseOptions{.seed = 4, .frequency = 0.014, .amplitude = 48, .offset = -26})},
        {"heightmap", heightmap()},
        {"plane", std::make_shared<terrain::PlaneField>(Position{0, 0, 0}, Position{0.25, 1, 0.1})},
        {"sphere", std::make_shared<terrain::SphereField>(Position{0, 0, 0}, 36)},
        {"box", std::make_shared<terrain::BoxField>(Position{0, 0, 0}, Position{34, 20, 26})},
        {"torus", ring},
        {"union", combined(Combination::unite, box, ball)},
        {"intersection", combined(Combination::intersect, box, ball)},
        {"subtraction", combined(Combination::subtract, box, ball)},
        {"blend", combined(Combination::unite, box, ball, 24)},
        {"translation",
         combined(Combination::unite, std::make_shared<terrain::TorusField>(Position{0, -18, 0}, 28, 8),
                  std::make_shared<terrain::TranslatedField>(
                      std::make_shared<terrain::TorusField>(Position{0, -18, 0}, 28, 8), Position{0, 34, 0}))},
        {"warp", std::make_shared<terrain::WarpedField>(ring, warp)},
    };
}

std::vector<FieldPicture> more_field_pictures() {
    const FieldPointer box = std::make_shared<terrain::BoxField>(Position{0, 0, 0}, Position{30, 12, 18});
    const FieldPointer hills =
        std::make_shared<terrain::HeightField>(NoiseOptions{.seed = 4, .frequency = 0.016, .amplitude = 44});
    const FieldPointer bent = std::make_shared<terrain::WarpedField>(
        std::make_shared<terrain::RidgedField>(
            NoiseOptions{.seed = 4, .octaves = 3, .frequency = 0.014, .amplitude = 48, .offset = -26}),
        NoiseOptions{.seed = 6, .octaves = 2, .frequency = 0.02, .amplitude = 16});
    return {
        {"cellular", std::make_shared<terrain::CellularField>(
                         terrain::CellularOptions{.seed = 2, .frequency = 0.035, .amplitude = 13, .offset = -4})},
        {"capsule", std::make_shared<terrain::CapsuleField>(Position{-24, -12, 10}, Position{24, 14, -10}, 14)},
        {"cone", std::make_shared<terrain::ConeField>(Position{0, -26, 0}, 52, 32, 8)},
        {"ellipsoid", std::make_shared<terrain::EllipsoidField>(Position{0, 0, 0}, Position{40, 18, 26})},
        {"rounded_box", std::make_shared<terrain::RoundedBoxField>(Position{0, 0, 0}, Position{34, 20, 26}, 10)},
        {"scale", combined(Combination::unite,
                           std::make_shared<terrain::TranslatedField>(std::make_shared<terrain::ScaledField>(box, 0.5),
                                                                      Position{0, 22, 0}),
                           std::make_shared<terrain::TranslatedField>(box, Position{0, -12, 0}))},
        {"rotation", std::make_shared<terrain::RotatedField>(box, Position{0.2, 0.3, 1}, 40)},
        {"terraces", std::make_shared<terrain::TerracedField>(
                         hills, terrain::TerraceOptions{.step = 9, .offset = 0, .flatness = 0.9})},
        {"rough", std::make_shared<terrain::RoughField>(
                      std::make_shared<terrain::SphereField>(Position{0, 0, 0}, 34),
                      NoiseOptions{.seed = 8, .octaves = 3, .frequency = 0.06, .amplitude = 9})},
        {"upright", std::make_shared<terrain::UprightField>(bent)},
    };
}

void draw_fields(Pool& pool, const std::filesystem::path& folder) {
    const auto steep = std::make_shared<terrain::SlopeCover>(terrain::CoverRange{.from = 40, .blend = 16});
    const terrain::LayeredMaterials materials(0, {{.material = 1, .where = {steep}}});
    terrain::WorldOptions world;
    world.extract.materials = &materials;
    const std::vector<terrain::PlacedChunk> places = terrain::box_world({96, 128, 96}, {.cells = 16});
    world.extract.cells = 16;
    RenderOptions options;
    options.width = 240;
    options.height = 160;
    options.samples = 4;
    options.cells = 16;
    options.haze = 0;
    options.camera = Camera{{115, 105, 150}, {0, -4, 0}, 27};
    options.to_sun = Position{-0.8, 0.62, 0.35};
    std::vector<FieldPicture> pictures = field_pictures();
    for (FieldPicture& more : more_field_pictures()) pictures.push_back(std::move(more));
    for (const FieldPicture& picture : pictures) {
        const terrain::WorldMesh mesh = terrain::mesh_world(pool, *picture.field, places, world);
        write_png(folder / ("field_" + picture.name + ".png"), render(pool, mesh.meshes, options));
    }
}

// What a few strokes do: a pit with a ramp, a cutting, a wall, a path of earth.
void dig(terrain::EditWorld& world) {
    using terrain::EditKind;
    const auto ground_at = [field = world.field()](double x, double z) {
        return terrain::highest_ground_below(*field, x, 200, z, {.reach = 400}).value_or(0);
    };
    const auto along = [&](Position from, Position to, float radius, EditKind kind, std::uint8_t material = 0) {
        for (int i = 0; i <= 40; ++i) {
            const double share = i / 40.0;
            const Position at{from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share,
                              from.z + (to.z - from.z) * share};
            world.apply({.kind = kind, .material = material, .stroke = 1, .at = at, .radius = radius});
        }
    };
    const double pit = ground_at(26, 34);
    world.apply({.kind = EditKind::dig, .stroke = 1, .at = {26, pit + 3, 34}, .radius = 17});
    along({26, pit - 8, 34}, {-6, pit + 3, 58}, 6, EditKind::dig);
    const double floor = ground_at(-22, 26) + 4;
    along({-22, floor, 30}, {-22, floor, -70}, 8, EditKind::dig);
    for (int i = 0; i < 12; ++i) {
        const double x = -8 + 4.5 * i;
        world.apply({.kind = EditKind::add,
                     .shape = terrain::BrushShape::box,
                     .stroke = 2,
                     .at = {x, ground_at(x, 2), 2},
                     .extent = {2.4F, 7, 1.6F}});
    }
    for (int i = 0; i <= 60; ++i) {
        const double x = -62 + 1.5 * i;
        const double z = 50 + 9 * std::sin(i * 0.13);
        world.apply({.kind = EditKind::paint, .material = 3, .stroke = 3, .at = {x, ground_at(x, z), z}, .radius = 4});
    }
}

void draw_dig(Pool& pool, const std::filesystem::path& folder) {
    const auto steep = std::make_shared<terrain::SlopeCover>(terrain::CoverRange{.from = 36, .blend = 14});
    const auto grass = std::make_shared<terrain::LayeredMaterials>(
        0, std::vector<terrain::MaterialLayer>{{.material = 1, .where = {steep}}});
    terrain::EditWorld edits(
        std::make_shared<terrain::NoiseField>(NoiseOptions{.seed = 12, .frequency = 0.011, .amplitude = 46}));
    RenderOptions options;
    options.width = 480;
    options.height = 300;
    options.haze = 0.15;
    options.camera = Camera{{46, 62, 128}, {-2, 4, 8}, 48};
    options.to_sun = Position{-0.7, 0.55, 0.45};
    for (const char* const name : {"dig_before.png", "dig_after.png"}) {
        const auto field = edits.field();
        const auto materials = edits.materials(grass);
        terrain::WorldOptions world;
        world.extract.materials = materials.get();
        const terrain::WorldMesh mesh =
            terrain::mesh_world(pool, *field, terrain::box_world({320, 192, 320}, {}), world);
        write_png(folder / name, render(pool, mesh.meshes, options));
        dig(edits);
    }
}

terrain::WorldMesh showcase_mesh(Pool& pool, std::uint64_t seed) {
    const FieldPointer field = terrain::showcase_field(seed);
    const std::shared_ptr<const terrain::Materials> materials = terrain::showcase_materials(seed);
    terrain::WorldOptions world;
    world.extract.materials = materials.get();
    return terrain::mesh_world(pool, *field, terrain::octree_world({}), world);
}

// Ten seeds side by side: two columns.
void draw_seeds(Pool& pool, const std::filesystem::path& folder) {
    constexpr int kColumns = 2;
    constexpr int kGap = 4;
    constexpr std::uint64_t kSeeds[] = {42, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    RenderOptions options = showcase_view();
    options.width = 352;
    options.height = 198;
    const int rows = static_cast<int>(std::size(kSeeds)) / kColumns;
    Image sheet(kColumns * (options.width + kGap) - kGap, rows * (options.height + kGap) - kGap);
    int number = 0;
    for (const std::uint64_t seed : kSeeds) {
        const terrain::WorldMesh mesh = showcase_mesh(pool, seed);
        const Image image = render(pool, mesh.meshes, options);
        const int left = number % kColumns * (options.width + kGap);
        const int top = number / kColumns * (options.height + kGap);
        for (int y = 0; y < options.height; ++y) {
            for (int x = 0; x < options.width; ++x) sheet.at(left + x, top + y) = image.at(x, y);
        }
        ++number;
    }
    write_png(folder / "seeds.png", sheet);
}

void draw_showcase(Pool& pool, const std::filesystem::path& folder) {
    const terrain::WorldMesh mesh = showcase_mesh(pool, terrain::kShowcaseSeed);
    RenderOptions options = showcase_view();
    options.width = 1024;
    options.height = 576;
    write_png(folder / "world.png", render(pool, mesh.meshes, options));
    options.width = 960;
    options.height = 540;
    write_png(folder / "lods.png", render_lods(pool, mesh.meshes, options));
}

}  // namespace

int main(int count, char** words) {
    struct Picture {
        std::string_view name;
        void (*draw)(Pool& pool, const std::filesystem::path& folder);
    };
    constexpr Picture kPictures[] = {
        {"fields", draw_fields}, {"dig", draw_dig}, {"showcase", draw_showcase}, {"seeds", draw_seeds}};
    try {
        if (count < 2) throw std::invalid_argument("usage: quarry_pictures FOLDER [fields|dig|showcase|seeds...]");
        const std::vector<std::string_view> wanted(words + 2, words + count);
        Pool pool;
        for (const Picture& picture : kPictures) {
            if (wanted.empty() || std::find(wanted.begin(), wanted.end(), picture.name) != wanted.end()) {
                picture.draw(pool, words[1]);
            }
        }
        return 0;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "quarry_pictures: %s\n", failure.what());
        return 2;
    }
}
