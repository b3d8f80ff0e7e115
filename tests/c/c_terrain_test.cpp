#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <quarry/c.h>

// Fields, chunks, meshes and exports through the C API.
namespace {

TEST(CApi, ManyChunksAtOnceAreTheSameAsOneByOne) {
    quarry_field* field = quarry_field_noise(42, 4, 0.02, 32);
    ASSERT_NE(field, nullptr) << quarry_last_error();
    const std::vector<quarry_chunk_key> keys{{0, 0, 0, 0}, {0, 0, 50, 0}, {1, 0, -1, 0}};
    const std::vector<std::uint32_t> masks{0, 0, 63};
    std::vector<quarry_mesh*> meshes(keys.size());
    ASSERT_EQ(quarry_mesh_chunks(field, keys.data(), masks.data(), keys.size(), 32, 1, 2, meshes.data()), QUARRY_OK);
    EXPECT_EQ(meshes[1], nullptr) << "it lies in the air";
    for (const std::size_t i : {0U, 2U}) {
        quarry_chunk* chunk = quarry_extract(field, keys[i], 32, 1);
        quarry_mesh* alone = quarry_bake(chunk, masks[i]);
        quarry_mesh_view expected;
        quarry_mesh_view view;
        ASSERT_EQ(quarry_mesh_get(alone, &expected), QUARRY_OK);
        ASSERT_EQ(quarry_mesh_get(meshes[i], &view), QUARRY_OK);
        ASSERT_EQ(view.vertices, expected.vertices);
        EXPECT_GT(view.vertices, 0U);
        EXPECT_EQ(std::memcmp(view.positions, expected.positions, 12 * view.vertices), 0);
        quarry_mesh_free(alone);
        quarry_mesh_free(meshes[i]);
        quarry_chunk_free(chunk);
    }
    EXPECT_EQ(quarry_mesh_chunks(field, keys.data(), nullptr, 3, 31, 1, 2, meshes.data()), QUARRY_INVALID);
    EXPECT_EQ(meshes[0], nullptr);
    quarry_field_free(field);
}

TEST(CApi, TerrainFromAFieldToAFile) {
    EXPECT_EQ(quarry_field_from_json("{", "."), nullptr);
    EXPECT_NE(std::string(quarry_last_error()), "");
    quarry_field* field = quarry_field_noise(42, 4, 0.02, 32);
    ASSERT_NE(field, nullptr);
    const double places[] = {0, -100, 0, 0, 100, 0};
    float densities[2] = {};
    ASSERT_EQ(quarry_field_densities(field, places, 2, densities), QUARRY_OK);
    EXPECT_LT(densities[0], 0);
    EXPECT_GT(densities[1], 0);
    EXPECT_EQ(quarry_extract(field, {0, 0, 0, 0}, 33, 1), nullptr) << "an odd number of cells";
    quarry_chunk* chunk = nullptr;
    for (int y = -1; y < 1 && (chunk == nullptr || quarry_chunk_content(chunk) != 2); ++y) {
        quarry_chunk_free(chunk);
        chunk = quarry_extract(field, {0, 0, y, 0}, 32, 1);
    }
    ASSERT_NE(chunk, nullptr);
    ASSERT_EQ(quarry_chunk_content(chunk), 2);
    EXPECT_EQ(quarry_bake(chunk, 64), nullptr);
    quarry_mesh* mesh = quarry_bake(chunk, 0);
    ASSERT_NE(mesh, nullptr);
    quarry_chunk_free(chunk);
    quarry_mesh_view view{};
    ASSERT_EQ(quarry_mesh_get(mesh, &view), QUARRY_OK);
    ASSERT_GT(view.vertices, 100U);
    ASSERT_NE(view.short_indices, nullptr);
    EXPECT_EQ(view.indices % 3, 0U);
    EXPECT_NEAR(std::hypot(view.normals[0], view.normals[1], view.normals[2]), 1, 1e-4);
    for (std::size_t i = 0; i < view.indices; ++i) ASSERT_LT(view.short_indices[i], view.vertices);
    const std::string path = testing::TempDir() + "quarry_c_api.glb";
    const quarry_mesh* all[] = {mesh};
    ASSERT_EQ(quarry_export(all, 1, QUARRY_FORMAT_GLB, 32, 1, 0, path.c_str()), QUARRY_OK) << quarry_last_error();
    std::string head(4, '\0');
    std::ifstream(path, std::ios::binary).read(head.data(), 4);
    EXPECT_EQ(head, "glTF");
    std::remove(path.c_str());
    EXPECT_EQ(quarry_export(all, 1, QUARRY_FORMAT_GLB, 32, 1, 0, "/no/such/folder/x.glb"), QUARRY_FAILED);
    EXPECT_EQ(quarry_export(all, 1, 9, 32, 1, 0, path.c_str()), QUARRY_INVALID);
    EXPECT_EQ(quarry_export(all, 1, -1, 32, 1, 0, path.c_str()), QUARRY_INVALID);
    EXPECT_EQ(quarry_export(all, 1, QUARRY_FORMAT_STL + 1, 32, 1, 0, path.c_str()), QUARRY_INVALID)
        << "there is a format that quarry/c/export.h does not name";
    quarry_mesh_free(mesh);
    quarry_field_free(field);
}

}  // namespace
