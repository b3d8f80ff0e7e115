#include "tests/terrain/check_glb/check_glb.hpp"

#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/export.hpp"
#include "tests/terrain/export/glb_file.hpp"
#include "tests/terrain/export/worlds.hpp"
#include "tests/terrain/support.hpp"

// R12, R17, R18: our own checker passes what is written, names what is damaged, and survives any bytes.

namespace quarry::terrain {
namespace {

using Json = nlohmann::json;
using test_support::glb_of;
using test_support::World;

GlbCheck check(const std::string& bytes, const GlbCheckOptions& options = {}) {
    return check_glb(std::as_bytes(std::span(bytes)), options);
}

std::string first_finding(const GlbCheck& result) {
    return result.findings.empty() ? "" : result.findings.front();
}

World small_world() {
    World world = test_support::grid_world(test_support::Ball({1, 2, 3}, 7), -1, 1, 16);
    test_support::add_materials(world);
    return world;
}

std::string small_glb(bool welded = false) {
    const World world = small_world();
    ExportOptions options;
    options.cells = world.cells;
    options.welded = welded;
    return glb_of(world.meshes, options);
}

std::uint32_t u32_at(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
}

void put_u32(std::string& bytes, std::size_t at, std::uint32_t value) {
    std::memcpy(bytes.data() + at, &value, 4);
}

// The same file with changed JSON.
std::string with_json(const std::string& glb, const std::function<void(Json&)>& change) {
    const std::uint32_t length = u32_at(glb, 12);
    Json json = Json::parse(glb.substr(20, length));
    change(json);
    std::string text = json.dump();
    text.resize((text.size() + 3) / 4 * 4, ' ');
    std::string changed = glb.substr(0, 20) + text + glb.substr(20 + length);
    put_u32(changed, 12, static_cast<std::uint32_t>(text.size()));
    put_u32(changed, 8, static_cast<std::uint32_t>(changed.size()));
    return changed;
}

TEST(CheckGlb, FindsNothingInWhatIsWritten) {
    Pool pool(2);
    for (const std::uint32_t seed : {1u, 2u}) {
        World world = seed == 1 ? test_support::ball_world()
                                : test_support::octree_world(test_support::Static(seed, 0.4), seed, 4, 150);
        for (int variant = 0; variant < 8; ++variant) {
            SCOPED_TRACE(std::to_string(seed) + " " + std::to_string(variant));
            ExportOptions options;
            options.cells = world.cells;
            options.welded = (variant & 1) != 0;
            options.collision = (variant & 2) != 0;
            options.lattice = {0.3, {5, -1e6, 0.1}};
            if (variant == 4) test_support::add_materials(world);
            const std::string file = glb_of(world.meshes, options);
            const GlbCheck result = check(file, {world.places, &pool});
            EXPECT_EQ(first_finding(result), "");
            EXPECT_EQ(result.nodes, options.welded ? 1 : world.meshes.size());
            ASSERT_TRUE(result.closedness.has_value());
            const Closedness direct = check_closedness(world.meshes, world.places, world.cells);
            if (!options.collision) {
                EXPECT_EQ(result.closedness->edges, direct.edges);
                EXPECT_EQ(result.closedness->rim, direct.rim);
                EXPECT_EQ(result.triangles, direct.is_closed() && seed == 1 ? 2 * direct.edges / 3 : result.triangles);
            }
            EXPECT_EQ(first_finding(check(file)), "") << "without the list of places";
        }
    }
}

TEST(CheckGlb, TakesEmptyFiles) {
    const GlbCheck result = check(glb_of({}, {}));
    EXPECT_EQ(first_finding(result), "");
    EXPECT_EQ(result.vertices, 0u);
}

TEST(CheckGlb, FindsAMissingChunk) {
    const World world = small_world();
    ExportOptions options;
    options.cells = world.cells;
    const std::vector<Mesh> fewer(world.meshes.begin() + 1, world.meshes.end());
    const std::string file = glb_of(fewer, options);
    const GlbCheck result = check(file, {world.places, nullptr});
    EXPECT_NE(first_finding(result).find("cracks in"), std::string::npos);
    ASSERT_TRUE(result.closedness.has_value());
    EXPECT_GT(result.closedness->cracks, 0u);
    // Who does not say that there should be one sees a rim.
    EXPECT_TRUE(check(file).is_good());
    options.welded = true;
    EXPECT_FALSE(check(glb_of(fewer, options), {world.places, nullptr}).is_good());
}

// A slope that goes down one voxel every second one puts corners of transition triangles in line.
TEST(CheckGlb, TakesTrianglesWithoutAreaOutOfCollisionsForNoCracks) {
    const World world = test_support::octree_world(test_support::Slope({1, 2, 0}, 40.5), 1, 8);
    for (const bool welded : {false, true}) {
        ExportOptions options;
        options.cells = world.cells;
        options.welded = welded;
        const GlbCheck drawn = check(glb_of(world.meshes, options), {world.places, nullptr});
        EXPECT_EQ(first_finding(drawn), "");
        options.collision = true;
        // bake leaves no triangle without area on this slope: there is one more.
        std::vector<Mesh> meshes = world.meshes;
        std::vector<std::uint32_t> indices;
        for (std::size_t i = 0; i < meshes[0].indices.size(); ++i) indices.push_back(meshes[0].indices[i]);
        indices.insert(indices.end(), {indices[0], indices[1], indices[0]});
        meshes[0].indices = IndexList(indices, meshes[0].positions.size());
        const GlbCheck solid = check(glb_of(meshes, options), {world.places, nullptr});
        EXPECT_EQ(first_finding(solid), "");
        EXPECT_EQ(solid.triangles, drawn.triangles);
        // A chunk that is missing is a gap all the same.
        const std::vector<Mesh> fewer(world.meshes.begin() + 1, world.meshes.end());
        EXPECT_FALSE(check(glb_of(fewer, options), {world.places, nullptr}).is_good());
    }
}

TEST(CheckGlb, FindsACrackInAWeldedFile) {
    const World world = small_world();
    ExportOptions options;
    options.cells = world.cells;
    options.welded = true;
    std::vector<Mesh> meshes = world.meshes;
    // A triangle within a chunk.
    std::vector<std::uint32_t> indices;
    for (std::size_t i = 0; i < meshes[0].indices.size(); ++i) indices.push_back(meshes[0].indices[i]);
    for (std::size_t i = 0; i < indices.size(); i += 3) {
        const auto is_inside = [&](std::uint32_t vertex) {
            const Vector3& at = meshes[0].positions[vertex];
            return at.x < 16 && at.y < 16 && at.z < 16;
        };
        if (!is_inside(indices[i]) || !is_inside(indices[i + 1]) || !is_inside(indices[i + 2])) continue;
        indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(i),
                      indices.begin() + static_cast<std::ptrdiff_t>(i) + 3);
        break;
    }
    ASSERT_LT(indices.size(), meshes[0].indices.size());
    meshes[0].indices = IndexList(indices, meshes[0].positions.size());
    for (const bool has_places : {false, true}) {
        const GlbCheck result =
            check(glb_of(meshes, options),
                  {has_places ? std::span<const ChunkKey>(world.places) : std::span<const ChunkKey>(), nullptr});
        EXPECT_NE(first_finding(result).find("3 cracks in"), std::string::npos) << first_finding(result);
    }
}

struct Damage {
    const char* finding;
    std::function<void(Json&)> change;
};

TEST(CheckGlb, NamesWhatIsWrongInTheJson) {
    const std::string good = small_glb();
    ASSERT_TRUE(check(good).is_good());
    const std::vector<Damage> damages{
        {"asset.version", [](Json& json) { json["asset"]["version"] = "1.0"; }},
        {"asset.extras.quarry", [](Json& json) { json["asset"].erase("extras"); }},
        {"asset.extras.quarry", [](Json& json) { json["asset"]["extras"]["quarry"]["cells"] = 7; }},
        {"buffers[0].byteLength", [](Json& json) { json["buffers"][0]["byteLength"] = 1 << 30; }},
        {"buffers", [](Json& json) { json["buffers"][0]["uri"] = "data:,"; }},
        {"scenes[0].nodes", [](Json& json) { json["scenes"][0]["nodes"].erase(0); }},
        {"as many meshes", [](Json& json) { json["meshes"].push_back(json["meshes"][0]); }},
        {"nodes[1].name", [](Json& json) { json["nodes"][1]["name"] = "chunk_0_0_0"; }},
        {"nodes[1].name", [](Json& json) { json["nodes"][1]["name"] = "chunk_0_00_0_0"; }},
        {"nodes[1].name", [](Json& json) { json["nodes"][1]["name"] = "chunk_9_0_0_0"; }},
        {"nodes[1].translation", [](Json& json) { json["nodes"][1]["translation"][2] = 0.125; }},
        {"nodes[2].scale",
         [](Json& json) {
             json["nodes"][2]["scale"] = {2, 2, 2};
         }},
        {"nodes[2] is not moved",
         [](Json& json) {
             json["nodes"][2]["scale"] = {2, 2, 1};
         }},
        {"nodes[2] is not moved",
         [](Json& json) {
             json["nodes"][2]["translation"] = {2, 2};
         }},
        {"nodes[2] is not moved",
         [](Json& json) {
             json["nodes"][2]["rotation"] = {0, 0, 0, 1};
         }},
        {"nodes[3].mesh", [](Json& json) { json["nodes"][3]["mesh"] = 0; }},
        {"that of another node",
         [](Json& json) {
             json["nodes"][0] = json["nodes"][1];
             json["nodes"][0]["mesh"] = 0;
         }},
        {"primitives", [](Json& json) { json["meshes"][0]["primitives"] = Json::array(); }},
        {"POSITION", [](Json& json) { json["meshes"][0]["primitives"][0]["attributes"].erase("POSITION"); }},
        {"NORMAL", [](Json& json) { json["meshes"][0]["primitives"][0]["attributes"].erase("NORMAL"); }},
        {"indices", [](Json& json) { json["meshes"][0]["primitives"][0].erase("indices"); }},
        {"mode", [](Json& json) { json["meshes"][0]["primitives"][0]["mode"] = 5; }},
        {"min and max", [](Json& json) { json["accessors"][1]["min"][0] = -1e-30; }},
        {"min and max", [](Json& json) { json["accessors"][1].erase("max"); }},
        {"accessors[1]: componentType", [](Json& json) { json["accessors"][1]["componentType"] = 5125; }},
        {"accessors[0].count", [](Json& json) { json["accessors"][0]["count"] = -3; }},
        {"accessors[0].count", [](Json& json) { json["accessors"][0]["count"] = 1ull << 62; }},
        {"does not lie within", [](Json& json) { json["accessors"][0]["count"] = 1ull << 39; }},
        {"no whole triangles", [](Json& json) { json["accessors"][0]["count"] = 4; }},
        {"different counts", [](Json& json) { json["accessors"][2]["count"] = 4; }},
        {"of 3 vertices", [](Json& json) { json["accessors"][1]["count"] = 3; }},
        {"sparse", [](Json& json) { json["accessors"][1]["sparse"] = Json::object(); }},
        {"accessors[900] does not exist", [](Json& json) { json["meshes"][0]["primitives"][0]["indices"] = 900; }},
        {"bufferViews[0] is used more", [](Json& json) { json["accessors"][1]["bufferView"] = 0; }},
        {"multiple of 4", [](Json& json) { json["bufferViews"][1]["byteOffset"] = 2; }},
        {"not within the BIN", [](Json& json) { json["bufferViews"][1]["byteOffset"] = ~0ull; }},
        {"not within the BIN", [](Json& json) { json["bufferViews"][1]["byteLength"] = ~0ull; }},
        {"target", [](Json& json) { json["bufferViews"][1]["target"] = 34963; }},
        {"byteStride", [](Json& json) { json["bufferViews"][1]["byteStride"] = 16; }},
    };
    for (const Damage& damage : damages) {
        const GlbCheck result = check(with_json(good, damage.change));
        bool is_found = false;
        for (const std::string& finding : result.findings)
            is_found |= finding.find(damage.finding) != std::string::npos;
        EXPECT_TRUE(is_found) << damage.finding << ", but: " << first_finding(result);
    }
}

TEST(CheckGlb, NamesWhatIsWrongInTheData) {
    const std::string good = small_glb();
    const Json json = Json::parse(good.substr(20, u32_at(good, 12)));
    const auto data = [&](std::size_t view) {
        return 28 + u32_at(good, 12) + json["bufferViews"][view]["byteOffset"].get<std::size_t>();
    };
    const auto finding = [&](std::size_t at, std::uint32_t value) {
        std::string bad = good;
        put_u32(bad, at, value);
        std::string all;
        for (const std::string& line : check(bad).findings) all += line + "\n";
        return all;
    };
    const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
    EXPECT_NE(finding(data(0), 0xFFFFFFFF).find("index 0 is 65535"), std::string::npos);
    EXPECT_NE(finding(data(1), bits(std::nanf(""))).find("not finite"), std::string::npos);
    EXPECT_NE(finding(data(1), bits(7.00001F)).find("lattice"), std::string::npos);
    EXPECT_NE(finding(data(1), bits(-5)).find("min and max"), std::string::npos);
    EXPECT_NE(finding(data(2), bits(2)).find("normal 0 has length"), std::string::npos);
    EXPECT_NE(finding(data(2), bits(std::nanf(""))).find("normal 0 has length"), std::string::npos);
    EXPECT_NE(finding(data(4), 0x01020304).find("add up to 10"), std::string::npos);
    EXPECT_NE(finding(0, 0).find("begin with glTF"), std::string::npos);
    EXPECT_NE(finding(4, 1).find("version is 1"), std::string::npos);
    EXPECT_NE(finding(8, 999).find("header's length is 999"), std::string::npos);
    EXPECT_NE(finding(12, 0xFFFFFFF0).find("its length is 4294967280"), std::string::npos);
    EXPECT_NE(finding(16, 0).find("not JSON"), std::string::npos);
}

TEST(CheckGlb, AFileThatIsNotThereIsAnError) {
    EXPECT_THROW(check_glb(std::filesystem::path("/nonexistent/world.glb")), Error);
    EXPECT_THROW(check_glb(std::filesystem::path("/")), Error);
    const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "quarry_check_glb_test.glb";
    std::ofstream(path, std::ios::binary) << small_glb();
    EXPECT_EQ(first_finding(check_glb(path)), "");
    std::filesystem::remove(path);
}

TEST(CheckGlb, ListsAtMostAHundredFindings) {
    const std::string bad = with_json(small_glb(), [](Json& json) {
        for (int i = 0; i < 1000; ++i) json["nodes"].push_back(Json::object());
    });
    const GlbCheck result = check(bad);
    EXPECT_EQ(result.findings.size(), 101u);
    EXPECT_NE(result.findings.back().find("more findings"), std::string::npos);
}

class FuzzCheckGlb : public testing::Test {
  protected:
    static constexpr auto kTime = std::chrono::milliseconds(400);

    template <class Damage>
    void run(std::uint64_t seed, Damage damage) {
        const std::vector<std::string> files{small_glb(false), small_glb(true)};
        Random random(seed);
        RecordProperty("seed", std::to_string(random.seed()));
        std::size_t trials = 0;
        std::size_t refused = 0;
        for (const auto end = std::chrono::steady_clock::now() + kTime; std::chrono::steady_clock::now() < end;) {
            std::string bytes = files[trials++ % files.size()];
            damage(random, bytes);
            refused += check(bytes).is_good() ? 0u : 1u;
        }
        EXPECT_GT(refused, trials / 4) << "seed " << random.seed();
    }
};

TEST_F(FuzzCheckGlb, SurvivesChangedBytes) {
    run(11, [](Random& random, std::string& bytes) {
        // Half of the changes go to the headers and the JSON, which are the smaller part.
        const auto json_end = static_cast<std::int32_t>(20 + u32_at(bytes, 12));
        for (std::int32_t i = random.integer(1, 8); i > 0; --i) {
            const std::int32_t last = random.integer(0, 1) == 0 ? json_end : static_cast<std::int32_t>(bytes.size());
            bytes[static_cast<std::size_t>(random.integer(0, last - 1))] = static_cast<char>(random.integer(0, 255));
        }
    });
}

TEST_F(FuzzCheckGlb, SurvivesFilesThatEndEarly) {
    run(12, [](Random& random, std::string& bytes) {
        bytes.resize(static_cast<std::size_t>(random.integer(0, static_cast<std::int32_t>(bytes.size()) - 1)));
        // As if it had always been so long.
        if (bytes.size() >= 12 && random.integer(0, 1) == 0)
            put_u32(bytes, 8, static_cast<std::uint32_t>(bytes.size()));
    });
}

TEST_F(FuzzCheckGlb, SurvivesNumbersOfEverySize) {
    run(13, [](Random& random, std::string& bytes) {
        bytes = with_json(bytes, [&](Json& json) {
            const std::vector<Json> values{
                0,          1,     -1,     3.5,     1e308, 255,           65'536,         1ull << 31,
                1ull << 32, ~0ull, "text", nullptr, true,  Json::array(), Json::object(), {1, 2, 3}};
            Json flat = json.flatten();
            for (std::int32_t i = random.integer(1, 3); i > 0; --i) {
                auto at = flat.begin();
                std::advance(at, random.integer(0, static_cast<std::int32_t>(flat.size()) - 1));
                json[Json::json_pointer(at.key())] =
                    values[static_cast<std::size_t>(random.integer(0, static_cast<std::int32_t>(values.size()) - 1))];
                flat = json.flatten();
            }
        });
    });
}

}  // namespace
}  // namespace quarry::terrain
