#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/description.hpp"
#include "tests/terrain/checkout.hpp"
#include "tests/terrain/field_cases.hpp"
#include "tests/terrain/quoted.hpp"
#include "tests/terrain/support.hpp"
#include "tests/terrain/temporary_folder.hpp"

namespace quarry::terrain {
namespace {

using test_support::TemporaryFolder;

std::string error_of(const std::string& json, const std::filesystem::path& folder = "no_such_folder") {
    try {
        parse_description(quoted(json), folder, "world.json");
    } catch (const DescriptionError& error) {
        return error.what();
    }
    return "no error";
}

std::string field_error(const std::string& json) {
    return error_of("{'field': " + json + "}");
}

std::string layer_error(const std::string& layer) {
    return error_of("{'field': {'type': 'noise'}, 'materials': {'layers': [{'material': 0}, " + layer + "]}}");
}

// The error lists the table of types.
std::vector<std::string> all_types() {
    const std::string error = field_error("{'type': 'no such type'}");
    const std::string before = "there are ";
    std::istringstream list(error.substr(error.find(before) + before.size()));
    std::vector<std::string> types;
    for (std::string type; std::getline(list >> std::ws, type, ',');) types.push_back(type);
    return types;
}

TEST(DescriptionErrors, EveryTypeIsInTheGuide) {
    std::ifstream file(test_support::checkout() / "docs/guide/terrain.md");
    const std::string guide{std::istreambuf_iterator<char>(file), {}};
    const std::size_t begin = guide.find("| type | keys |");
    ASSERT_NE(begin, std::string::npos);
    const std::string table = guide.substr(begin, guide.find("\n\n", begin) - begin);
    for (const std::string& type : all_types()) {
        EXPECT_NE(table.find("`" + type + "`"), std::string::npos)
            << type << " is missing in the table of types in docs/guide/terrain.md";
    }
    EXPECT_GT(all_types().size(), 20u);
}

TEST(DescriptionErrors, EveryTypeIsTestedAsAField) {
    std::set<std::string> tested;
    for (const FieldCase& each : all_cases()) {
        std::string name = each.name;
        std::replace(name.begin(), name.end(), ' ', '_');
        tested.insert(name);
    }
    for (const std::string& type : all_types()) {
        EXPECT_TRUE(tested.contains(type)) << type << " has no case in tests/terrain/field_cases.hpp";
    }
}

TEST(DescriptionErrors, GiveThePlaceOfANumberOutOfRange) {
    EXPECT_EQ(field_error("{'type': 'union', 'a': {'type': 'noise', 'octaves': 40}, 'b': {'type': 'noise'}}"),
              "world.json: /field/a/octaves: must be 1 to 16, not 40");
    EXPECT_EQ(field_error("{'type': 'sphere', 'centre': [0, 0, 0], 'radius': 0}"),
              "world.json: /field/radius: must be 1e-06 to 1e+09, not 0");
    EXPECT_EQ(field_error("{'type': 'sphere', 'centre': [0, -3e9, 0], 'radius': 1}"),
              "world.json: /field/centre/1: must be -1e+09 to 1e+09, not -3000000000.0");
    EXPECT_EQ(field_error("{'type': 'noise', 'seed': -1}"),
              "world.json: /field/seed: must be a whole number from 0 to 18446744073709551615, not -1");
    EXPECT_EQ(field_error("{'type': 'noise', 'octaves': 2.5}"),
              "world.json: /field/octaves: must be a whole number, not 2.5");
    EXPECT_EQ(field_error("{'type': 'noise', 'octaves': 18446744073709551615}"),
              "world.json: /field/octaves: must be 1 to 16, not 18446744073709551615");
    EXPECT_EQ(layer_error("{'material': 256}"), "world.json: /materials/layers/1/material: must be 0 to 255, not 256");
    EXPECT_EQ(layer_error("{'material': 1, 'slope': {'to': 181}}"),
              "world.json: /materials/layers/1/slope/to: must be -180 to 180, not 181");
}

// Every number of every type, one below and one above what is allowed; and both ends are allowed by the field as well.
TEST(DescriptionErrors, HaveTheRangesOfTheFieldsThemselves) {
    struct Number {
        std::string rest;
        std::string key;
        std::string low, high;
    };
    const std::string noise = "'type': 'noise', 'octaves': 1";
    const std::string combined = "'type': 'union', 'a': {'type': 'noise'}, 'b': {'type': 'noise'}";
    const std::vector<Number> numbers{
        {"'type': 'noise', 'lacunarity': 1", "octaves", "1", "16"},
        {noise, "frequency", "1e-6", "1e3"},
        {noise, "amplitude", "0", "1e6"},
        {noise, "offset", "-1e6", "1e6"},
        {noise, "lacunarity", "1", "8"},
        {noise, "persistence", "1e-3", "1"},
        {"'type': 'sphere', 'centre': [0, 0, 0]", "radius", "1e-6", "1e9"},
        {"'type': 'torus', 'centre': [0, 0, 0], 'tube_radius': 1", "ring_radius", "1e-6", "1e9"},
        {"'type': 'torus', 'centre': [0, 0, 0], 'ring_radius': 1", "tube_radius", "1e-6", "1e9"},
        {combined, "blend", "0", "1e6"},
    };
    for (const Number& each : numbers) {
        SCOPED_TRACE(each.rest + ", " + each.key);
        const auto with = [&](const std::string& value) {
            return field_error("{" + each.rest + ", '" + each.key + "': " + value + "}");
        };
        EXPECT_EQ(with(each.low), "no error");
        EXPECT_EQ(with(each.high), "no error");
        for (const char* beyond : {"-1e300", "1e300", "-1000001", "1e10"}) {
            EXPECT_TRUE(with(beyond).starts_with("world.json: /field/" + each.key + ": must be ")) << with(beyond);
        }
    }
    const std::vector<std::string> vectors{"{'type': 'plane', 'normal': [0, 1, 0], 'point': ",
                                           "{'type': 'translation', 'field': {'type': 'noise'}, 'distance': "};
    for (const std::string& vector : vectors) {
        EXPECT_EQ(field_error(vector + "[-1e9, 1e9, 0]}"), "no error");
        EXPECT_NE(field_error(vector + "[0, 0, 2e9]}").find("/2: must be"), std::string::npos);
    }
}

TEST(DescriptionErrors, HaveTheRangesOfHeightmapsAndMaterialsThemselves) {
    struct Number {
        std::string before;  // up to the number's value
        std::string after;
        std::string path;
        std::string low, high;
    };
    const std::string map = "{'field': {'type': 'heightmap', 'file': 'map.r16', 'width': 1, 'height': 1, ";
    const std::string layers = "{'field': {'type': 'noise'}, 'materials': {'layers': [{'material': 1, ";
    const std::string strokes = "{'field': {'type': 'noise'}, 'materials': {'strokes': [{'centre': [0, 0, 0], ";
    const std::vector<Number> numbers{
        {map + "'pixel_size': ", "}}", "/field/pixel_size", "1e-3", "1e6"},
        {map + "'height_scale': ", "}}", "/field/height_scale", "-1e6", "1e6"},
        {map + "'offset': ", "}}", "/field/offset", "-1e6", "1e6"},
        {map + "'origin_x': ", "}}", "/field/origin_x", "-1e9", "1e9"},
        {map + "'origin_z': ", "}}", "/field/origin_z", "-1e9", "1e9"},
        {"{'field': {'type': 'noise'}, 'water_level': ", "}", "/water_level", "-1e9", "1e9"},
        {layers + "'strength': ", "}]}}", "/materials/layers/0/strength", "0", "1"},
        {layers + "'height': {'blend': ", "}}]}}", "/materials/layers/0/height/blend", "0", "1e6"},
        {layers + "'slope': {'blend': ", "}}]}}", "/materials/layers/0/slope/blend", "0", "180"},
        {layers + "'noise': {'blend': ", "}}]}}", "/materials/layers/0/noise/blend", "0", "2"},
        {layers + "'noise': {'from': ", "}}]}}", "/materials/layers/0/noise/from", "-1", "1"},
        {strokes + "'material': 1, 'radius': ", "}]}}", "/materials/strokes/0/radius", "1e-6", "1e9"},
        {strokes + "'radius': 7, 'material': 1, 'soft': ", "}]}}", "/materials/strokes/0/soft", "0", "7"},
        {strokes + "'radius': 7, 'material': ", "}]}}", "/materials/strokes/0/material", "0", "255"},
        {strokes + "'radius': 7, 'material': 1, 'strength': ", "}]}}", "/materials/strokes/0/strength", "0", "1"},
    };
    const TemporaryFolder folder;
    folder.write("map.r16", "ab");
    for (const Number& each : numbers) {
        SCOPED_TRACE(each.path);
        const auto with = [&](const std::string& value) {
            return error_of(each.before + value + each.after, folder.path());
        };
        EXPECT_EQ(with(each.low), "no error");
        EXPECT_EQ(with(each.high), "no error");
        for (const char* beyond : {"-1e300", "1e300", "-2000000000", "2000000000"}) {
            EXPECT_TRUE(with(beyond).starts_with("world.json: " + each.path + ": must be ")) << with(beyond);
        }
    }
}

TEST(DescriptionErrors, GiveThePlaceOfOptionsThatDoNotGoTogether) {
    EXPECT_EQ(field_error("{'type': 'warp', 'field': {'type': 'noise', 'frequency': 1000, 'octaves': 16}}"),
              "world.json: /field/field: NoiseOptions.frequency * lacunarity^(octaves - 1) is 3.2768e+07; 0 to 10000 "
              "is allowed");
    EXPECT_EQ(field_error("{'type': 'plane', 'point': [0, 0, 0], 'normal': [0, 0, 0]}"),
              "world.json: /field: PlaneField.normal's length is 0; 1e-06 to 1e+09 is allowed");
    EXPECT_NE(layer_error("{'material': 1, 'height': {'from': 5, 'to': 5}}").find("/materials/layers/1/height: "),
              std::string::npos);
}

TEST(DescriptionErrors, GiveThePlaceOfAWrongType) {
    EXPECT_EQ(error_of("[]"), "world.json: must be an object, a world, not an array of 0");
    EXPECT_EQ(error_of("3"), "world.json: must be an object, a world, not 3");
    EXPECT_EQ(field_error("'noise'"), "world.json: /field: must be an object, a field, not a string");
    EXPECT_EQ(field_error("{'type': 3}"), "world.json: /field/type: must be a string, not 3");
    EXPECT_EQ(field_error("{'type': 'noise', 'amplitude': 'high'}"),
              "world.json: /field/amplitude: must be a number, not a string");
    EXPECT_EQ(field_error("{'type': 'noise', 'amplitude': null}"),
              "world.json: /field/amplitude: must be a number, not null");
    EXPECT_EQ(field_error("{'type': 'noise', 'seed': true}"),
              "world.json: /field/seed: must be a whole number from 0 to 18446744073709551615, not true");
    EXPECT_EQ(field_error("{'type': 'sphere', 'centre': [1, 2], 'radius': 1}"),
              "world.json: /field/centre: must be an array of 3 numbers, not an array of 2");
    EXPECT_EQ(field_error("{'type': 'sphere', 'centre': [1, 2, {}], 'radius': 1}"),
              "world.json: /field/centre/2: must be a number, not an object");
    EXPECT_EQ(error_of("{'field': {'type': 'noise'}, 'about': 5}"), "world.json: /about: must be a string, not 5");
    EXPECT_EQ(layer_error("7"), "world.json: /materials/layers/1: must be an object, a layer, not 7");
    EXPECT_EQ(error_of("{'field': {'type': 'noise'}, 'materials': {'strokes': {}}}"),
              "world.json: /materials/strokes: must be an array, not an object");
}

TEST(DescriptionErrors, GiveThePlaceOfKeysThatAreUnknownMissingOrThereTwice) {
    EXPECT_EQ(field_error("{'type': 'sphere', 'centre': [0, 0, 0], 'radius': 1, 'radios': 2}"),
              "world.json: /field/radios: is unknown; a sphere has type, centre, radius");
    EXPECT_EQ(field_error("{'type': 'noise', 'a/b~c': 2}").substr(0, 30), "world.json: /field/a~1b~0c: is");
    EXPECT_EQ(error_of("{'field': {'type': 'noise'}, 'fields': 1}"),
              "world.json: /fields: is unknown; a world has field, materials, about, water_level");
    EXPECT_EQ(field_error("{'type': 'sphere', 'radius': 1}"),
              "world.json: /field: has no \"centre\"; a sphere needs one");
    EXPECT_EQ(error_of("{}"), "world.json: has no \"field\"; a world needs one");
    EXPECT_EQ(field_error("{'octaves': 3}"), "world.json: /field: has no \"type\"; a field needs one");
    EXPECT_EQ(field_error("{'type': 'noise', 'seed': 1, 'seed': 2}"), "world.json: /field/seed: is there twice");
    EXPECT_EQ(layer_error("{'material': 1, 'noise': {'from': 0, 'from': 0}}"),
              "world.json: /materials/layers/1/noise/from: is there twice");
    const std::string unknown_type = "world.json: /field/type: is no type of field; there are noise, height, ridged, ";
    EXPECT_EQ(field_error("{'type': 'cube'}").substr(0, unknown_type.size()), unknown_type);
    // What a warp does not use is no key of it.
    EXPECT_NE(
        field_error("{'type': 'warp', 'field': {'type': 'noise'}, 'offset': 3}").find("/field/offset: is unknown"),
        std::string::npos);
    EXPECT_NE(layer_error("{'material': 1, 'noise': {'amplitude': 3}}").find("/noise/amplitude: is unknown"),
              std::string::npos);
}

TEST(DescriptionErrors, RefuseWhatIsNoJson) {
    EXPECT_TRUE(error_of("").starts_with("world.json: parse error at line 1, column 1")) << error_of("");
    EXPECT_EQ(
        error_of("{'field': {'type': 'noise', 'amplitude': NaN}}"),
        "world.json: /field/amplitude: parse error at line 1, column 42: syntax error while parsing value - invalid "
        "literal");
    EXPECT_NE(field_error("{'type': 'noise', 'amplitude': Infinity}").find("/field/amplitude: parse error"),
              std::string::npos);
    EXPECT_NE(field_error("{'type': 'noise', 'amplitude': 1e999}").find("/field/amplitude: number overflow"),
              std::string::npos);
    EXPECT_NE(field_error("{'type': 'noise',}").find("parse error"), std::string::npos);
    EXPECT_NE(field_error("{'type': 'noise'} // comment").find("parse error"), std::string::npos);
    const std::string bytes = error_of("{'field': {'type': '\xFF\n\x1B[31m'}}");
    EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](char c) { return c >= 0x20 && c < 0x7F; })) << bytes;
}

TEST(DescriptionErrors, RefuseNestingBeyondItsLimit) {
    const auto nested = [](std::size_t levels) {
        std::string json;
        for (std::size_t i = 0; i < levels; ++i) json += "{'type': 'translation', 'distance': [0, 1, 0], 'field': ";
        return field_error(json + "{'type': 'noise'}" + std::string(levels, '}'));
    };
    // The world itself is one level, the innermost field another, and the array of a distance reaches as deep as it.
    EXPECT_EQ(nested(kDeepestDescription - 2), "no error");
    const std::string refusal = nested(kDeepestDescription - 1);
    EXPECT_TRUE(refusal.starts_with("world.json: /field/field/field/")) << refusal;
    EXPECT_NE(refusal.find(": is nested too deep; 64 levels are allowed"), std::string::npos) << refusal;
    EXPECT_NE(error_of(std::string(1'000'000, '[')).find("nested too deep"), std::string::npos);
}

TEST(DescriptionErrors, NameTheFileThatCanNotBeRead) {
    const TemporaryFolder folder;
    const auto error_of_file = [&](const std::filesystem::path& file) -> std::string {
        try {
            read_description(file);
        } catch (const DescriptionError& error) {
            return error.what();
        }
        return "no error";
    };
    const std::string missing = (folder.path() / "none.json").string();
    EXPECT_EQ(error_of_file(missing), missing + ": cannot be read: No such file or directory");
    EXPECT_EQ(error_of_file(folder.path()), folder.path().string() + ": cannot be read: Is a directory");
    const auto large = folder.write("large.json", std::string(kMostDescriptionBytes + 1, ' '));
    EXPECT_EQ(error_of_file(large), large.string() + ": is larger than the 16777216 bytes that are allowed");
    folder.write("text.png", "no picture");
    const auto world = folder.write("world.json", quoted("{'field': {'type': 'heightmap', 'file': 'text.png'}}"));
    EXPECT_EQ(error_of_file(world),
              world.string() + ": /field/file: " + (folder.path() / "text.png").string() + ": is no PNG file");
    EXPECT_EQ(field_error("{'type': 'heightmap', 'file': 'a.png'}"),
              "world.json: /field/file: no_such_folder/a.png: cannot be read: No such file or directory");
    EXPECT_EQ(field_error("{'type': 'heightmap', 'file': 'a.r16', 'width': 5}"),
              "world.json: /field: has only one of width and height; a raw file needs both, a PNG none");
    EXPECT_EQ(field_error("{'type': 'heightmap', 'file': 'a.r16', 'width': 5, 'height': 40000}"),
              "world.json: /field/height: must be 1 to 32768, not 40000");
    EXPECT_EQ(field_error("{'type': 'heightmap', 'file': ''}"), "world.json: /field/file: must be the name of a file");
    EXPECT_EQ(field_error("{'type': 'heightmap', 'file': 'a\\u0000b'}"),
              "world.json: /field/file: must be the name of a file");
}

}  // namespace
}  // namespace quarry::terrain
