// Materials at the vertices of meshes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/materials.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/simd.hpp"
#include "tests/jobs/counting_allocator.hpp"
#include "tests/terrain/patchwork.hpp"
#include "tests/terrain/support.hpp"
#include "tests/terrain/test_fields.hpp"

namespace quarry::terrain {
namespace {

using test_support::as_array;
using test_support::Ball;
using test_support::on_lattice;

// All rules at once, with blends wide enough that neighbouring vertices differ.
std::shared_ptr<const Materials> everything() {
    const auto high = std::make_shared<HeightCover>(CoverRange{.from = 2, .blend = 8},
                                                    NoiseOptions{.frequency = 0.2, .amplitude = 2});
    const auto steep = std::make_shared<SlopeCover>(CoverRange{.from = 20, .to = 150, .blend = 40});
    const auto patches =
        std::make_shared<NoiseCover>(NoiseOptions{.frequency = 0.15}, CoverRange{.from = 0, .blend = 1});
    const auto layered = std::make_shared<LayeredMaterials>(
        0, std::vector<MaterialLayer>{{.material = 1, .where = {patches}},
                                      {.material = 2, .where = {steep}, .strength = 0.8},
                                      {.material = 3, .where = {high, patches}}});
    return std::make_shared<PaintedMaterials>(
        layered, std::vector<Stroke>{{.centre = {16, 2, 5}, .radius = 9, .soft = 8, .material = 1, .strength = 0.7}});
}

ExtractOptions with(const std::shared_ptr<const Materials>& materials, std::int32_t cells = 32) {
    ExtractOptions options;
    options.cells = cells;
    options.materials = materials.get();
    return options;
}

TEST(MeshMaterials, AreThoseOfThePlaceAndNormalOfEachVertex) {
    const NoiseField field({.amplitude = 12});
    const auto materials = everything();
    ExtractOptions options = with(materials);
    options.lattice = {.voxel_size = 0.5, .origin = {3, -4, 5}};
    const ChunkMesh mesh = extract(field, {1, 0, 0, -1}, options);
    ASSERT_EQ(mesh.materials.size(), mesh.positions.size());
    std::size_t mixed = 0;
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        const std::array<double, 3> at = on_lattice(mesh, as_array(mesh.positions[i]));
        const Position place{at[0] * 0.5 + 3, at[1] * 0.5 - 4, at[2] * 0.5 + 5};
        MaterialWeights expected;
        materials->weights(std::span(&place, 1), std::span(&mesh.normals[i], 1), std::span(&expected, 1));
        ASSERT_EQ(mesh.materials[i], expected);
        mixed += expected.of[0] % 255 != 0 && expected.of[2] != 0 ? 1 : 0;
    }
    EXPECT_GT(mixed, 100u);
}

TEST(MeshMaterials, AreNoneWithoutMaterialsAndChangeNothingElse) {
    const NoiseField field({.amplitude = 12});
    const ChunkMesh plain = extract(field, {0, 0, 0, 0});
    EXPECT_TRUE(plain.materials.empty());
    EXPECT_TRUE(bake(plain, 5).materials.empty());
    const auto materials = everything();
    ChunkMesh coloured = extract(field, {0, 0, 0, 0}, with(materials));
    EXPECT_NE(content_hash(coloured), content_hash(plain));
    coloured.materials.clear();
    EXPECT_EQ(coloured, plain);
}

// R12, R17: a seam shows in the materials no more than in the shading. All vertices that two chunks draw in one place,
// whatever their levels, have equal weights.
TEST(MeshMaterials, SharedVerticesHaveEqualWeightsAcrossChunksAndLevels) {
    const Ball field({16, 2, 5}, 13);
    const auto materials = everything();
    std::map<std::array<double, 3>, MaterialWeights> seen;
    std::size_t shared = 0;
    std::size_t across_levels = 0;
    const auto visit = [&](const ChunkMesh& mesh, std::uint32_t mask) {
        const Mesh baked = bake(mesh, mask);
        ASSERT_EQ(baked.materials.size(), baked.positions.size());
        for (std::size_t i = 0; i < baked.positions.size(); ++i) {
            const auto [found, is_new] =
                seen.emplace(on_lattice(mesh, as_array(baked.positions[i])), baked.materials[i]);
            if (is_new) continue;
            ++shared;
            across_levels += mesh.key.lod > 0 && found->first[0] == 16 ? 1 : 0;
            ASSERT_EQ(found->second, baked.materials[i]);
        }
    };
    // Chunks of 8 units: fine ones up to x = 16, coarse ones (4 cells of 2 units) beyond.
    for (std::int32_t z = -2; z < 4; ++z) {
        for (std::int32_t y = -2; y < 3; ++y) {
            for (std::int32_t x = 0; x < 4; ++x) {
                const std::int32_t lod = x < 2 ? 0 : 1;
                const std::uint32_t mask = x == 1 ? side::high_x : 0;
                visit(extract(field, {lod, x, y, z}, with(materials, lod == 0 ? 8 : 4)), mask);
            }
        }
    }
    EXPECT_GT(shared, 200u);
    EXPECT_GT(across_levels, 30u);
}

// Eight materials: each level of height is another one.
std::shared_ptr<const Materials> many() {
    std::vector<MaterialLayer> layers;
    for (int i = 0; i < 7; ++i) {
        const auto band = std::make_shared<HeightCover>(CoverRange{.from = 4.0 * i - 12, .to = 4.0 * i - 6, .blend = 3},
                                                        NoiseOptions{.frequency = 0.2, .amplitude = 2});
        layers.push_back({.material = 30 * i + 9, .where = {band}});
    }
    return std::make_shared<LayeredMaterials>(2, std::move(layers));
}

TEST(MeshMaterials, OfMoreThanFourHaveIndicesThatAgreeAcrossChunksAndLevels) {
    const Ball field({16, 2, 5}, 13);
    const auto materials = many();
    std::map<std::array<double, 3>, MaterialMix> seen;
    std::set<std::uint8_t> numbers;
    std::size_t shared = 0;
    for (std::int32_t z = -2; z < 4; ++z) {
        for (std::int32_t y = -2; y < 3; ++y) {
            for (std::int32_t x = 0; x < 4; ++x) {
                const std::int32_t lod = x < 2 ? 0 : 1;
                const ChunkMesh mesh = extract(field, {lod, x, y, z}, with(materials, lod == 0 ? 8 : 4));
                const Mesh baked = bake(mesh, x == 1 ? side::high_x : 0);
                ASSERT_EQ(baked.material_indices.size(), baked.positions.size());
                for (std::size_t i = 0; i < baked.positions.size(); ++i) {
                    const MaterialMix mix{baked.material_indices[i], baked.materials[i]};
                    for (const std::uint8_t number : mix.indices.of) numbers.insert(number);
                    const auto [found, is_new] = seen.emplace(on_lattice(mesh, as_array(baked.positions[i])), mix);
                    if (is_new) continue;
                    ++shared;
                    ASSERT_EQ(found->second, mix);
                }
            }
        }
    }
    EXPECT_GT(shared, 200u);
    EXPECT_GT(numbers.size(), 5u);
    const ChunkMesh chunk = extract(field, {0, 1, 0, 0}, with(materials, 8));
    ExtractScratch scratch;
    EXPECT_EQ(extract_baked(field, {0, 1, 0, 0}, 0, with(materials, 8), scratch).mesh, bake(chunk, 0));
    EXPECT_TRUE(extract(field, {0, 1, 0, 0}, with(everything(), 8)).material_indices.empty());
}

// R18.
TEST(MeshMaterials, HaveTheSameHashOnEachSimdTarget) {
    const KeepSimdTarget keep;
    const NoiseField field({.amplitude = 12});
    const auto materials = everything();
    const std::uint64_t expected = content_hash(extract(field, {1, 0, 0, 0}, with(materials)));
    for (const SimdTarget target : simd_targets()) {
        force_simd_target(target);
        EXPECT_EQ(content_hash(extract(field, {1, 0, 0, 0}, with(materials))), expected) << name_of(target);
    }
}

TEST(MeshMaterials, AllocateOnlyFromTheArenaOnceWarm) {
    const Ball field({16, 16, 16}, 20);
    const auto materials = everything();
    ExtractScratch scratch;
    const ChunkMesh first = extract(field, {0, 0, 0, 0}, with(materials), scratch);
    const std::uint64_t before = quarry::test_support::allocation_count();
    const ChunkMesh second = extract(field, {0, 0, 0, 0}, with(materials), scratch);
    EXPECT_EQ(quarry::test_support::allocation_count(), before);
    EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace quarry::terrain
