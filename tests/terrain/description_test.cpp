#include "quarry/terrain/description.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/materials.hpp"
#include "tests/terrain/checkout.hpp"
#include "tests/terrain/field_cases.hpp"
#include "tests/terrain/png_maker.hpp"
#include "tests/terrain/quoted.hpp"
#include "tests/terrain/support.hpp"
#include "tests/terrain/temporary_folder.hpp"

namespace quarry::terrain {
namespace {

using test_support::TemporaryFolder;

const std::filesystem::path kRoot = test_support::checkout();

std::string content_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

std::shared_ptr<const Field> field_of(const std::string& json, const std::filesystem::path& folder = {}) {
    return parse_description(quoted("{'field': " + json + "}"), folder).field;
}

void expect_same(const std::string& json, const Field& expected, const std::filesystem::path& folder = {}) {
    SCOPED_TRACE(json);
    const auto field = field_of(json, folder);
    const SampleBlock block{.first = {-20, -9, 3}, .step = 2, .nx = 21, .ny = 12, .nz = 20};
    EXPECT_TRUE(same_bits(sampled(*field, block), sampled(expected, block)));
}

TEST(Description, NamesEveryField) {
    const NoiseOptions noise{.seed = 18446744073709551615ULL,
                             .octaves = 3,
                             .frequency = 0.03,
                             .amplitude = 20,
                             .offset = -2,
                             .lacunarity = 1.9,
                             .persistence = 0.6};
    const std::string keys =
        "'seed': 18446744073709551615, 'octaves': 3, 'frequency': 0.03, 'amplitude': 20, "
        "'lacunarity': 1.9, 'persistence': 0.6";
    expect_same("{'type': 'noise', 'offset': -2, " + keys + "}", NoiseField(noise));
    expect_same("{'type': 'height', 'offset': -2, " + keys + "}", HeightField(noise));
    expect_same("{'type': 'ridged', 'offset': -2, " + keys + "}", RidgedField(noise));
    expect_same("{'type': 'noise'}", NoiseField());
    expect_same("{'type': 'plane', 'point': [1, 2, 3], 'normal': [1, 5, 0.5]}", PlaneField({1, 2, 3}, {1, 5, 0.5}));
    const auto sphere = std::make_shared<SphereField>(Position{1, -2, 30}, 9.5);
    const std::string ball = "{'type': 'sphere', 'centre': [1, -2, 30], 'radius': 9.5}";
    expect_same(ball, *sphere);
    expect_same("{'type': 'box', 'centre': [0, 0, 9], 'half_size': [4, 5, 6]}", BoxField({0, 0, 9}, {4, 5, 6}));
    expect_same("{'type': 'torus', 'centre': [0, 0, 9], 'ring_radius': 12, 'tube_radius': 3}",
                TorusField({0, 0, 9}, 12, 3));
    expect_same("{'type': 'capsule', 'first': [1, 2, 3], 'second': [4, 9, 20], 'radius': 5}",
                CapsuleField({1, 2, 3}, {4, 9, 20}, 5));
    expect_same("{'type': 'cone', 'base': [1, -5, 3], 'height': 12, 'base_radius': 8, 'top_radius': 2}",
                ConeField({1, -5, 3}, 12, 8, 2));
    expect_same("{'type': 'ellipsoid', 'centre': [1, 2, 3], 'radii': [9, 7, 5]}", EllipsoidField({1, 2, 3}, {9, 7, 5}));
    expect_same("{'type': 'rounded_box', 'centre': [1, 2, 3], 'half_size': [9, 7, 5], 'rounding': 2}",
                RoundedBoxField({1, 2, 3}, {9, 7, 5}, 2));
    expect_same("{'type': 'cellular', 'seed': 3, 'frequency': 0.05, 'amplitude': 9, 'offset': 2}",
                CellularField({.seed = 3, .frequency = 0.05, .amplitude = 9, .offset = 2}));
    const auto hills = std::make_shared<NoiseField>(noise);
    const std::string parts = "'a': {'type': 'noise', 'offset': -2, " + keys + "}, 'b': " + ball;
    expect_same("{'type': 'union', " + parts + "}", CombinedField(Combination::unite, hills, sphere));
    expect_same("{'type': 'intersection', 'blend': 2.5, " + parts + "}",
                CombinedField(Combination::intersect, hills, sphere, 2.5));
    expect_same("{'type': 'subtraction', 'blend': 4, " + parts + "}",
                CombinedField(Combination::subtract, hills, sphere, 4));
    expect_same("{'type': 'translation', 'distance': [3, -4, 0.5], 'field': " + ball + "}",
                TranslatedField(sphere, {3, -4, 0.5}));
    expect_same("{'type': 'scale', 'factor': 1.5, 'field': " + ball + "}", ScaledField(sphere, 1.5));
    expect_same("{'type': 'rotation', 'axis': [1, 2, 3], 'degrees': 50, 'field': " + ball + "}",
                RotatedField(sphere, {1, 2, 3}, 50));
    expect_same("{'type': 'terraces', 'step': 5, 'offset': 2, 'flatness': 0.6, 'field': " + ball + "}",
                TerracedField(sphere, {.step = 5, .offset = 2, .flatness = 0.6}));
    expect_same("{'type': 'warp', " + keys + ", 'field': " + ball + "}", WarpedField(sphere, noise));
    expect_same("{'type': 'rough', " + keys + ", 'field': " + ball + "}", RoughField(sphere, noise));
    expect_same("{'type': 'upright', 'factor': 2.5, 'field': " + ball + "}", UprightField(sphere, 2.5));
}

TEST(Description, FindsHeightmapsBesideTheFile) {
    const TemporaryFolder folder;
    const auto map = random_heightmap(6, 5);
    const std::vector<std::uint16_t> values = map->levels().front().values;
    folder.write("map.png", test_support::grey_png(6, 5, {}, values));
    test_support::Bytes raw;
    for (const std::uint16_t value : values) {
        raw.push_back(static_cast<std::byte>(value));
        raw.push_back(static_cast<std::byte>(value >> 8));
    }
    folder.write("map.r16", raw);
    const HeightmapField expected(map,
                                  {.pixel_size = 3, .height_scale = 20, .offset = -5, .origin_x = -7, .origin_z = 4});
    const std::string options =
        "'pixel_size': 3, 'height_scale': 20, 'offset': -5, 'origin_x': -7, 'origin_z': 4, 'type': 'heightmap'";
    expect_same("{'file': 'map.png', " + options + "}", expected, folder.path());
    expect_same("{'file': 'map.r16', 'width': 6, 'height': 5, " + options + "}", expected, folder.path());
    expect_same("{'file': '" + (folder.path() / "map.png").string() + "', " + options + "}", expected, "elsewhere");
    const auto file = folder.write("world.json", quoted("{'field': {'file': 'map.png', " + options + "}}"));
    EXPECT_EQ(read_description(file).field->density_at({1, 2, 3}), expected.density_at({1, 2, 3}));
}

MaterialWeights weights_at(const Materials& materials, Position place, Vector3 normal) {
    MaterialWeights weights;
    materials.weights(std::span(&place, 1), std::span(&normal, 1), std::span(&weights, 1));
    return weights;
}

TEST(Description, NamesMaterials) {
    const Described world = parse_description(
        quoted("{'field': {'type': 'noise'}, 'materials': {'ground': 3, 'layers': ["
               "{'material': 1, 'height': {'from': 4, 'to': 30, 'blend': 3, 'ragged': {'amplitude': 2}},"
               " 'slope': {'from': 20, 'to': 170, 'blend': 30}, 'strength': 0.75},"
               "{'material': 2, 'noise': {'from': 0.1, 'blend': 0.5, 'seed': 5, 'frequency': 0.1}}],"
               "'strokes': [{'centre': [0, 5, 0], 'radius': 30, 'soft': 20, 'material': 0, 'strength': 0.5}]}}"),
        "");
    ASSERT_NE(world.materials, nullptr);
    const auto height =
        std::make_shared<HeightCover>(CoverRange{.from = 4, .to = 30, .blend = 3}, NoiseOptions{.amplitude = 2});
    const auto slope = std::make_shared<SlopeCover>(CoverRange{.from = 20, .to = 170, .blend = 30});
    const auto noise =
        std::make_shared<NoiseCover>(NoiseOptions{.seed = 5, .frequency = 0.1}, CoverRange{.from = 0.1, .blend = 0.5});
    const auto layered = std::make_shared<LayeredMaterials>(
        3, std::vector<MaterialLayer>{{.material = 1, .where = {height, slope}, .strength = 0.75},
                                      {.material = 2, .where = {noise}}});
    const PaintedMaterials expected(layered,
                                    {{.centre = {0, 5, 0}, .radius = 30, .soft = 20, .material = 0, .strength = 0.5}});
    Random random(401);
    for (int i = 0; i < 300; ++i) {
        const Position place = random.position(40);
        const Vector3 normal{0, static_cast<float>(random.real(-1, 1)), 0};
        ASSERT_EQ(weights_at(*world.materials, place, normal), weights_at(expected, place, normal));
    }
    EXPECT_EQ(parse_description(quoted("{'field': {'type': 'noise'}}"), "").materials, nullptr);
}

TEST(Description, SaysWhatMaterialsLookLikeAndWhereWaterIs) {
    const Described world = parse_description(
        quoted("{'field': {'type': 'noise'}, 'water_level': -2.5, 'materials': {'ground': 255, 'looks': ["
               "{'name': 'sand', 'colour': '#ff8000'}, {'colour': '#0A0000'}]}}"),
        "");
    ASSERT_EQ(world.looks.size(), 2u);
    EXPECT_EQ(world.looks[0].name, "sand");
    EXPECT_EQ(world.looks[0].colour.red, 1);
    EXPECT_NEAR(world.looks[0].colour.green, 0.2159, 1e-4);
    EXPECT_EQ(world.looks[0].colour.blue, 0);
    EXPECT_NEAR(world.looks[1].colour.red, 10 / 255.0 / 12.92, 1e-6);
    EXPECT_EQ(world.water_level, -2.5);
    EXPECT_EQ(world.materials->count(), 256u);
    const Described plain = parse_description(quoted("{'field': {'type': 'noise'}}"), "");
    EXPECT_TRUE(plain.looks.empty());
    EXPECT_FALSE(plain.water_level.has_value());
    for (const char* const colour : {"red", "#12345", "#1234567", "#12345g", ""}) {
        try {
            parse_description(quoted("{'field': {'type': 'noise'}, 'materials': {'looks': [{'colour': '" +
                                     std::string(colour) + "'}]}}"),
                              "");
            ADD_FAILURE() << colour;
        } catch (const DescriptionError& refusal) {
            EXPECT_NE(std::string(refusal.what()).find("/materials/looks/0/colour: must be a colour"),
                      std::string::npos)
                << refusal.what();
        }
    }
}

TEST(Description, ReadsTheExampleThatTheGuideShows) {
    const std::string example = content_of(kRoot / "examples/terrain/world.json");
    ASSERT_FALSE(example.empty());
    EXPECT_NE(content_of(kRoot / "docs/guide/terrain.md").find("```json\n" + example + "```"), std::string::npos);
    const Described world = read_description(kRoot / "examples/terrain/world.json");
    ASSERT_NE(world.materials, nullptr);
    EXPECT_LT(world.field->density_at({0, 0, 0}), 0);
    EXPECT_GT(world.field->density_at({0, 200, 0}), 0);
    EXPECT_GT(world.field->density_at({0, 6, 20}), 0) << "the tunnel is missing";
    EXPECT_LT(world.field->density_at({110, -6, 0}), 0) << "the ring is missing";
}

}  // namespace
}  // namespace quarry::terrain
