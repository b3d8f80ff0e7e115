#include "bake/options.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/apps/typed_options.hpp"
#include "tools/input.hpp"

namespace quarry::app {
namespace {

std::string refusal_of(const BakeArguments& arguments) {
    try {
        check_bake(arguments);
    } catch (const WrongInput& refusal) {
        return refusal.what();
    }
    return "";
}

BakeArguments noise() {
    BakeArguments arguments;
    arguments.field = "noise";
    return arguments;
}

TEST(BakeOptions, DefaultsAreTheShowcaseAsAnOctree) {
    const BakeOptions options = check_bake({});
    EXPECT_EQ(options.field_name, "showcase");
    EXPECT_NE(options.described.field, nullptr);
    EXPECT_EQ(options.extract.materials, options.described.materials.get());
    ASSERT_TRUE(options.is_octree());
    const auto& octree = std::get<terrain::OctreeOptions>(options.world);
    EXPECT_EQ(octree.radius, 2048);
    EXPECT_EQ(octree.lod_distance, 128);
    EXPECT_EQ(octree.max_lod, 7);
}

TEST(BakeOptions, ReachTheWorld) {
    BakeArguments arguments = noise();
    arguments.world = "octree:500.5";
    arguments.viewer = "1,-2.5,3e2";
    arguments.lod_distance = 64;
    arguments.max_lod = 4;
    arguments.chunk_cells = 16;
    arguments.voxel_size = 0.5;
    arguments.threads = 3;
    arguments.out = {"a.glb", "b.OBJ", "c.ply", "d.stl"};
    const BakeOptions options = check_bake(arguments);
    const auto& octree = std::get<terrain::OctreeOptions>(options.world);
    EXPECT_EQ(octree.radius, 500.5);
    EXPECT_EQ(octree.viewer, (terrain::Position{1, -2.5, 300}));
    EXPECT_EQ(octree.lod_distance, 64);
    EXPECT_EQ(octree.max_lod, 4);
    EXPECT_EQ(octree.cells, 16);
    EXPECT_EQ(octree.lattice.voxel_size, 0.5);
    EXPECT_EQ(options.extract.cells, 16);
    EXPECT_EQ(options.extract.lattice.voxel_size, 0.5);
    EXPECT_EQ(options.threads, 3);
    ASSERT_EQ(options.outputs.size(), 4u);
    EXPECT_EQ(options.outputs[1].format, terrain::ExportFormat::obj);
    EXPECT_EQ(options.outputs[3].format, terrain::ExportFormat::stl);
}

TEST(BakeOptions, NoiseIsAsAskedFor) {
    BakeArguments arguments = noise();
    arguments.seed = 18446744073709551615u;
    arguments.octaves = 6;
    arguments.frequency = 0.01;
    arguments.amplitude = 100;
    arguments.offset = -5;
    arguments.lacunarity = 2.5;
    arguments.persistence = 0.4;
    const terrain::NoiseOptions made = check_bake(arguments).noise;
    EXPECT_EQ(made.seed, UINT64_MAX);
    EXPECT_EQ(made.octaves, 6);
    EXPECT_EQ(made.frequency, 0.01);
    EXPECT_EQ(made.amplitude, 100);
    EXPECT_EQ(made.offset, -5);
    EXPECT_EQ(made.lacunarity, 2.5);
    EXPECT_EQ(made.persistence, 0.4);
}

TEST(BakeOptions, PlacesAreThoseOfTheWorld) {
    BakeArguments arguments = noise();
    arguments.world = "box:100,40,20";
    arguments.chunk_cells = 20;
    arguments.lod = 1;
    const std::vector<terrain::PlacedChunk> places = places_of(check_bake(arguments), 1000);
    EXPECT_EQ(places.size(), 3u);
    EXPECT_EQ(places[0].key.lod, 1);
    arguments.world = "sphere:100";
    EXPECT_GT(places_of(check_bake(arguments), 1000).size(), 8u);
    EXPECT_THROW(places_of(check_bake(arguments), 8), WrongInput);
}

TEST(BakeOptions, ThoseThatDoNotGoWithTheWorldOrFieldAreRefused) {
    struct Case {
        const char* option;
        const char* value;
        const char* world;
        const char* field;
    };
    const std::array<Case, 7> cases{
        Case{"--viewer", "0,0,0", "sphere:100", "noise"}, {"--lod-distance", "64", "box:9,9,9", "noise"},
        {"--max-lod", "3", "box:9,9,9", "noise"},         {"--lod", "3", "octree:100", "noise"},
        {"--octaves", "3", "octree:100", "showcase"},     {"--frequency", "1", "octree:100", "showcase"},
        {"--seed", "1", "octree:100", "world.json"}};
    for (const Case& each : cases) {
        BakeArguments arguments;
        arguments.field = each.field;
        arguments.world = each.world;
        test_support::TypedOptions options;
        declare_bake(options, arguments);
        options.type(each.option, each.value);
        EXPECT_EQ(refusal_of(arguments).find(each.option), 0u) << refusal_of(arguments);
    }
    BakeArguments welded;
    welded.welded = true;
    EXPECT_NE(refusal_of(welded).find("--out"), std::string::npos);
}

// Words that people and other programs may pass, whole or cut and joined at random.
std::string random_word(std::mt19937_64& random) {
    static const std::vector<std::string> parts{
        "0",        "1",     "-1",     "32",      "1e9",   "1e400",  "-0",   "nan",        "inf",
        "-inf",     "0x10",  "40",     "3.5",     ".5",    "5.",     "1e-9", "2147483648", "99999999999999999999",
        ",",        "1,2,3", "1,2",    "1,2,3,4", "1,,3",  "sphere", "box:", "octree:",    "sphere:",
        ":",        "noise", ".glb",   "a.glb",   ".png",  "a.b",    "/",    "..",         "/nowhere/x.json",
        "showcase", "avx2",  "scalar", "\n",      "\x80w", "%s%n",   "{}",   " ",          "box:64,64,64",
        "16",       "200",   "a.png",  "0.5"};
    std::string word;
    for (std::size_t count = random() % 3; count-- > 0;) word += parts[random() % parts.size()];
    if (!word.empty() && random() % 8 == 0) word[random() % word.size()] = static_cast<char>(random());
    return word;
}

TEST(BakeOptions, AnyWordsAreTakenOrRefusedInOneLine) {
    const std::uint64_t seed = 20261115;
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::array<const char*, 19> names{
        "--field",      "--world",       "--seed",       "--octaves",      "--frequency",   "--amplitude", "--offset",
        "--lacunarity", "--persistence", "--viewer",     "--lod-distance", "--max-lod",     "--lod",       "--threads",
        "--simd",       "--chunk-cells", "--voxel-size", "--preview",      "--preview-lods"};
    int taken = 0;
    for (int round = 0; round < 2000; ++round) {
        BakeArguments arguments = random() % 4 == 0 ? BakeArguments{} : noise();
        if (random() % 4 == 0) arguments.world = (random() % 2 == 0 ? "sphere:" : "octree:") + random_word(random);
        test_support::TypedOptions options;
        declare_bake(options, arguments);
        try {
            for (std::size_t changes = 1 + random() % 2; changes-- > 0;) {
                options.type(names[random() % names.size()], random_word(random));
            }
            if (random() % 4 == 0) arguments.out.push_back(random_word(random));
            const BakeOptions made = check_bake(arguments);
            ++taken;
            // Whatever is taken either has few enough chunks or is refused before memory is taken.
            places_of(made, 1000);
        } catch (const WrongInput& refusal) {
            const std::string line = refusal.what();
            EXPECT_FALSE(line.empty());
            EXPECT_EQ(line.find('\n'), std::string::npos) << line;
        }
    }
    EXPECT_GT(taken, 50) << "or only refusals were tried";
}

}  // namespace
}  // namespace quarry::app
