#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/export.hpp"
#include "terrain/export/glb_layout.hpp"
#include "tests/terrain/check_glb/check_glb.hpp"
#include "tests/terrain/export/glb_file.hpp"
#include "tests/terrain/export/worlds.hpp"

// R18: what is written as glb is read back, bit for bit, by a reader that is not ours.

namespace quarry::terrain {
namespace {

using test_support::glb_of;
using test_support::GlbFile;
using test_support::World;

std::string name_of(const ChunkKey& key) {
    return "chunk_" + std::to_string(key.lod) + "_" + std::to_string(key.x) + "_" + std::to_string(key.y) + "_" +
           std::to_string(key.z);
}

std::vector<std::uint32_t> numbers_of(const IndexList& list) {
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < list.size(); ++i) numbers.push_back(list[i]);
    return numbers;
}

ExportOptions plain(const World& world) {
    ExportOptions options;
    options.cells = world.cells;
    options.optimise = false;
    return options;
}

TEST(Glb, ColoursAreThoseOfTheMaterialsByTheirWeights) {
    World world = test_support::ball_world();
    test_support::add_materials(world);
    for (Mesh& mesh : world.meshes) {
        for (MaterialWeights& weights : mesh.materials) weights.of = {0, 102, 153, 0};
    }
    ExportOptions options = plain(world);
    options.colours[1] = {1, 0.5F, 0};
    options.colours[2] = {0, 0.5F, 1};
    const GlbFile file(glb_of(world.meshes, options));
    // The four bytes of a colour are read as those of weights are.
    for (const MaterialWeights& colour : file.attribute<MaterialWeights>(0, "COLOR_0")) {
        EXPECT_EQ(colour.of, (std::array<std::uint8_t, 4>{102, 128, 153, 255}));
    }
}

TEST(Glb, OfMoreThanFourMaterialsSaysWhichTheWeightsAreOf) {
    World world = test_support::ball_world();
    test_support::add_materials(world);
    EXPECT_FALSE(GlbFile(glb_of(world.meshes, plain(world))).has(0, "_MATERIALS_0"));
    for (Mesh& mesh : world.meshes) {
        mesh.material_indices.assign(mesh.positions.size(), MaterialIndices{{1, 2, 77, 200}});
        for (MaterialWeights& weights : mesh.materials) weights.of = {0, 0, 255, 0};
    }
    for (const bool welded : {false, true}) {
        ExportOptions options = plain(world);
        options.welded = welded;
        options.colours.resize(78);
        options.colours[77] = {0, 1, 0};
        const GlbFile file(glb_of(world.meshes, options));
        const auto numbers = file.attribute<MaterialIndices>(0, "_MATERIALS_0");
        ASSERT_GT(numbers.size(), 10u);
        for (const MaterialIndices& each : numbers) EXPECT_EQ(each, (MaterialIndices{{1, 2, 77, 200}}));
        EXPECT_FALSE(file.accessor(0, "_MATERIALS_0").normalized);
        for (const MaterialWeights& colour : file.attribute<MaterialWeights>(0, "COLOR_0")) {
            EXPECT_EQ(colour.of, (std::array<std::uint8_t, 4>{0, 255, 0, 255}));
        }
        const std::string bytes = glb_of(world.meshes, options);
        EXPECT_EQ(bytes.size(), glb_size(world.meshes, options));
        EXPECT_EQ(check_glb(std::as_bytes(std::span(bytes))).findings, std::vector<std::string>{});
    }
    world.meshes[0].material_indices.pop_back();
    EXPECT_THROW(glb_of(world.meshes, plain(world)), std::invalid_argument);
}

TEST(Glb, HasTheBitsOfEveryMesh) {
    World world = test_support::ball_world();
    test_support::add_materials(world);
    const GlbFile file(glb_of(world.meshes, plain(world)));
    ASSERT_EQ(file.model().meshes.size(), world.meshes.size());
    for (std::size_t i = 0; i < world.meshes.size(); ++i) {
        EXPECT_EQ(file.attribute<Vector3>(i, "POSITION"), world.meshes[i].positions);
        EXPECT_EQ(file.attribute<Vector3>(i, "NORMAL"), world.meshes[i].normals);
        EXPECT_EQ(file.attribute<MaterialWeights>(i, "_WEIGHTS_0"), world.meshes[i].materials);
        EXPECT_EQ(file.attribute<MaterialWeights>(i, "COLOR_0").size(), world.meshes[i].materials.size());
        EXPECT_EQ(file.indices(i), numbers_of(world.meshes[i].indices));
        EXPECT_TRUE(file.accessor(i, "COLOR_0").normalized);
        EXPECT_EQ(file.accessor(i, "COLOR_0").componentType, TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE);
    }
}

TEST(Glb, NamesAndPlacesNodesByTheirChunks) {
    const World world = test_support::ball_world();
    ExportOptions options = plain(world);
    options.lattice = {0.1, {1e6 + 0.3, -7, 0.7}};
    const GlbFile file(glb_of(world.meshes, options));
    ASSERT_EQ(file.model().nodes.size(), world.meshes.size());
    ASSERT_EQ(file.model().scenes.at(0).nodes.size(), world.meshes.size());
    std::set<std::int32_t> levels;
    for (std::size_t i = 0; i < world.meshes.size(); ++i) {
        const ChunkKey& key = world.meshes[i].key;
        levels.insert(key.lod);
        const tinygltf::Node& node = file.model().nodes[i];
        EXPECT_EQ(node.name, name_of(key));
        EXPECT_EQ(static_cast<std::size_t>(node.mesh), i);
        const std::int32_t width = world.cells << key.lod;
        const Position corner = options.lattice.at({key.x * width, key.y * width, key.z * width});
        EXPECT_EQ(node.translation, (std::vector<double>{corner.x, corner.y, corner.z}));
        EXPECT_EQ(node.scale, std::vector<double>(3, 0.1 * (1 << key.lod)));
    }
    EXPECT_GE(levels.size(), 3u);
}

TEST(Glb, LeavesOutAScaleOfOne) {
    const World world = test_support::grid_world(test_support::Ball({1, 2, 3}, 7), -1, 1, 16);
    const GlbFile file(glb_of(world.meshes, plain(world)));
    ASSERT_EQ(file.model().nodes.size(), 8u);
    for (const tinygltf::Node& node : file.model().nodes) EXPECT_TRUE(node.scale.empty());
}

TEST(Glb, BoundsOfPositionsAreExact) {
    const World world = test_support::ball_world();
    for (const bool welded : {false, true}) {
        ExportOptions options = plain(world);
        options.welded = welded;
        const GlbFile file(glb_of(world.meshes, options));
        for (std::size_t i = 0; i < file.model().meshes.size(); ++i) {
            const MeshBounds bounds = bounds_of(file.attribute<Vector3>(i, "POSITION"));
            const tinygltf::Accessor& accessor = file.accessor(i, "POSITION");
            EXPECT_EQ(accessor.minValues, (std::vector<double>{bounds.low.x, bounds.low.y, bounds.low.z}));
            EXPECT_EQ(accessor.maxValues, (std::vector<double>{bounds.high.x, bounds.high.y, bounds.high.z}));
        }
    }
}

TEST(Glb, OptimisedMeshesHaveTheSameTriangles) {
    World world = test_support::ball_world();
    test_support::add_materials(world);
    ExportOptions options = plain(world);
    options.optimise = true;
    const GlbFile file(glb_of(world.meshes, options));
    // A triangle by its corners' places, beginning with the smallest so that turning it does not matter.
    using Corner = std::array<float, 3>;
    const auto triangles = [](std::span<const Vector3> at, const std::vector<std::uint32_t>& indices) {
        std::multiset<std::array<Corner, 3>> list;
        for (std::size_t i = 0; i < indices.size(); i += 3) {
            std::array<Corner, 3> triangle;
            for (std::size_t c = 0; c < 3; ++c) {
                triangle[c] = {at[indices[i + c]].x, at[indices[i + c]].y, at[indices[i + c]].z};
            }
            std::rotate(triangle.begin(), std::min_element(triangle.begin(), triangle.end()), triangle.end());
            list.insert(triangle);
        }
        return list;
    };
    bool is_reordered = false;
    for (std::size_t i = 0; i < world.meshes.size(); ++i) {
        const std::vector<std::uint32_t> indices = file.indices(i);
        const std::vector<Vector3> positions = file.attribute<Vector3>(i, "POSITION");
        EXPECT_EQ(triangles(positions, indices),
                  triangles(world.meshes[i].positions, numbers_of(world.meshes[i].indices)));
        is_reordered |= positions != world.meshes[i].positions;
        // Vertices come in the order of their first use.
        std::uint32_t next = 0;
        for (const std::uint32_t index : indices) {
            ASSERT_LE(index, next);
            next += index == next ? 1 : 0;
        }
    }
    EXPECT_TRUE(is_reordered);
}

TEST(Glb, IsTheSameWithAndWithoutAPool) {
    const World world = test_support::ball_world();
    for (const bool welded : {false, true}) {
        ExportOptions options = plain(world);
        options.optimise = true;
        options.welded = welded;
        const std::string alone = glb_of(world.meshes, options);
        Pool pool(3);
        options.pool = &pool;
        EXPECT_EQ(glb_of(world.meshes, options), alone);
    }
}

TEST(Glb, SizeIsKnownBeforehand) {
    World world = test_support::ball_world();
    for (int variant = 0; variant < 8; ++variant) {
        ExportOptions options = plain(world);
        options.welded = (variant & 1) != 0;
        options.collision = (variant & 2) != 0;
        if (variant == 4) test_support::add_materials(world);
        const std::string file = glb_of(world.meshes, options);
        EXPECT_EQ(glb_size(world.meshes, options), file.size());
        EXPECT_EQ(estimated_size(ExportFormat::glb, world.meshes, options), file.size());
        EXPECT_EQ(file.size() % 4, 0u);
    }
}

TEST(Glb, OfCollisionsHasPositionsAndIndicesOnly) {
    World world = test_support::ball_world();
    test_support::add_materials(world);
    ExportOptions options = plain(world);
    options.collision = true;
    const GlbFile file(glb_of(world.meshes, options));
    ASSERT_EQ(file.model().meshes.size(), world.meshes.size());
    for (std::size_t i = 0; i < world.meshes.size(); ++i) {
        EXPECT_TRUE(file.has(i, "POSITION"));
        EXPECT_EQ(file.primitive(i).attributes.size(), 1u);
    }
}

TEST(Glb, OfNothingIsAValidFile) {
    Mesh empty;
    for (const std::vector<Mesh>& meshes : {std::vector<Mesh>{}, std::vector<Mesh>{empty}}) {
        for (const bool welded : {false, true}) {
            ExportOptions options;
            options.welded = welded;
            const std::string bytes = glb_of(meshes, options);
            EXPECT_EQ(bytes.size(), glb_size(meshes, options));
            const GlbFile file(bytes);
            EXPECT_TRUE(file.model().nodes.empty());
            EXPECT_EQ(file.model().asset.version, "2.0");
        }
    }
}

TEST(Glb, LeavesOutMeshesWithoutTriangles) {
    World world = test_support::ball_world();
    world.meshes.insert(world.meshes.begin(), Mesh{});
    world.meshes.emplace_back();
    const GlbFile file(glb_of(world.meshes, plain(world)));
    EXPECT_EQ(file.model().nodes.size(), world.meshes.size() - 2);
    EXPECT_EQ(file.model().nodes.at(0).name, name_of(world.meshes[1].key));
}

TEST(Glb, HasWideIndicesWhereTheyAreNeeded) {
    for (const std::size_t vertices : {65'535u, 65'536u}) {
        const std::vector<Mesh> meshes{test_support::ribbon(vertices)};
        ExportOptions options;
        options.optimise = false;
        const std::string bytes = glb_of(meshes, options);
        const GlbFile file(bytes);
        EXPECT_EQ(bytes.size(), glb_size(meshes, options));
        EXPECT_EQ(file.indices(0), numbers_of(meshes[0].indices));
        const auto list = static_cast<std::size_t>(file.primitive(0).indices);
        EXPECT_EQ(file.model().accessors.at(list).componentType,
                  vertices == 65'535 ? TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT : TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT);
    }
}

TEST(Glb, LeavesOutWhatNoTriangleUses) {
    Mesh mesh;
    mesh.positions = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {0, 0, 0}};
    mesh.normals.assign(6, {0, 0, 1});
    mesh.indices = IndexList(std::vector<std::uint32_t>{1, 2, 3, 1, 5, 2, 1, 2, 4}, 6);
    const std::vector<Mesh> meshes{mesh};
    ExportOptions options;
    options.optimise = false;
    const GlbFile drawn(glb_of(meshes, options));
    // The corner in the place of another goes, and so does (9, 9, 9); the flat triangle stays.
    EXPECT_EQ(drawn.attribute<Vector3>(0, "POSITION"),
              (std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}}));
    EXPECT_EQ(drawn.indices(0), (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 3}));
    options.collision = true;
    const GlbFile collision(glb_of(meshes, options));
    EXPECT_EQ(collision.attribute<Vector3>(0, "POSITION"), (std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
    EXPECT_EQ(collision.indices(0), (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(Glb, OfMoreThanFourGibibytesIsRefused) {
    EXPECT_NO_THROW(impl::require_glb_length(0xFFFF'FFFF));
    try {
        impl::require_glb_length(0x1'0000'0000);
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("4294967296 bytes"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("up to 4294967295"), std::string::npos) << error.what();
    }
    // Lengths do not wrap around where a count of bytes no longer fits 32 bits.
    impl::Part part;
    part.vertices = 400'000'000;
    part.indices = 2'400'000'000;
    EXPECT_EQ(impl::PartBytes(part, false).total(), 19'200'000'000u);
}

}  // namespace
}  // namespace quarry::terrain
