#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/export.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "tests/terrain/export/readers.hpp"
#include "tests/terrain/export/worlds.hpp"

// R18: a ball stays a ball in every format and variant, and the formats agree with each other.

namespace quarry::terrain {
namespace {

using test_support::exported;
using test_support::kFormats;
using test_support::never_open;
using test_support::Soup;
using test_support::Surface;
using test_support::World;

struct Variant {
    ExportFormat format;
    bool welded;
    bool collision;
    bool optimise;
};

TEST(ExportFormats, AreKnownByTheEndingsOfTheirFiles) {
    for (const ExportFormatInfo& info : export_formats()) {
        const std::string ending(info.ending);
        EXPECT_EQ(export_format_of("a/b.c/world" + ending), info.format);
        EXPECT_EQ(export_format_of("world.old" + ending), info.format);
        EXPECT_EQ(export_format_of("world" + ending + ".old"), std::nullopt);
        EXPECT_EQ(export_format_of("folder" + ending + "/world"), std::nullopt);
        EXPECT_EQ(export_format_of(ending), std::nullopt);  // a hidden file without an ending
        EXPECT_EQ(export_format_of("folder/" + ending), std::nullopt);
        EXPECT_EQ(info_of(info.format).ending, info.ending);
    }
    EXPECT_EQ(export_format_of("WORLD.GLB"), ExportFormat::glb);
    EXPECT_EQ(export_format_of("world.Stl"), ExportFormat::stl);
    for (const char* const other : {"", "world", "world.", "world.gl", "world.glbx", "glb"}) {
        EXPECT_EQ(export_format_of(other), std::nullopt) << other;
    }
    EXPECT_EQ(export_endings(), ".glb, .obj, .ply or .stl");
}

TEST(ExportFormats, RefuseANumberThatIsNone) {
    const auto none = static_cast<ExportFormat>(export_formats().size());
    std::ostringstream out;
    const auto expect_refused = [](auto&& call) { EXPECT_THROW(call(), std::invalid_argument); };
    expect_refused([&] { info_of(none); });
    expect_refused([&] { write(none, out, {}); });
    expect_refused([&] { estimated_size(none, {}); });
    expect_refused([&] { info_of(static_cast<ExportFormat>(-1)); });
    EXPECT_EQ(out.str(), "");
}

std::vector<Variant> all_variants() {
    std::vector<Variant> variants;
    for (const ExportFormat format : kFormats) {
        for (int choice = 0; choice < 8; ++choice) {
            variants.push_back({format, (choice & 1) != 0, (choice & 2) != 0, (choice & 4) != 0});
        }
    }
    return variants;
}

ExportOptions options_of(const Variant& variant, const World& world) {
    ExportOptions options;
    options.cells = world.cells;
    options.welded = variant.welded;
    options.collision = variant.collision;
    options.optimise = variant.optimise;
    return options;
}

std::string text_of(const Variant& variant) {
    return "format " + std::to_string(static_cast<int>(variant.format)) + (variant.welded ? " welded" : "") +
           (variant.collision ? " collision" : "") + (variant.optimise ? " optimised" : "");
}

TEST(Formats, KeepABallClosedAndItsVolume) {
    const World world = test_support::ball_world();
    const double ball = 4.0 / 3 * 3.14159265358979 * std::pow(test_support::kBallRadius, 3);
    for (const Variant& variant : all_variants()) {
        SCOPED_TRACE(text_of(variant));
        ExportOptions options = options_of(variant, world);
        options.lattice = {0.5, {-30, 100, 7}};
        const Surface surface = exported(variant.format, world.meshes, options).surface();
        EXPECT_GT(surface.triangles(), 5000u);
        EXPECT_EQ(surface.open_edges(never_open), 0u);
        EXPECT_EQ(surface.euler_characteristic(), 2);
        EXPECT_NEAR(surface.volume() / (ball / 8), 1, 0.02);
    }
}

// Positions of triangles' corners, in whatever order the file has them.
std::multiset<std::array<float, 9>> triangles_of(const Soup& soup) {
    std::multiset<std::array<float, 9>> triangles;
    for (std::size_t i = 0; i < soup.indices.size(); i += 3) {
        std::array<std::array<float, 3>, 3> corners{};
        for (std::size_t c = 0; c < 3; ++c) {
            const Vector3& at = soup.positions.at(soup.indices[i + c]);
            corners[c] = {at.x, at.y, at.z};
        }
        std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
        triangles.insert({corners[0][0], corners[0][1], corners[0][2], corners[1][0], corners[1][1], corners[1][2],
                          corners[2][0], corners[2][1], corners[2][2]});
    }
    return triangles;
}

TEST(Formats, HaveTheSameTrianglesToTheBit) {
    const World world = test_support::octree_world(test_support::Static(3, 0.5), 3, 4, 100);
    std::multiset<std::array<float, 9>> first;
    for (const Variant& variant : all_variants()) {
        if (variant.collision) continue;
        SCOPED_TRACE(text_of(variant));
        const auto triangles = triangles_of(exported(variant.format, world.meshes, options_of(variant, world)));
        if (first.empty()) first = triangles;
        EXPECT_GT(triangles.size(), 1000u);
        EXPECT_EQ(triangles, first);
    }
}

TEST(Formats, PositionsAreInWorldUnits) {
    const World world = test_support::grid_world(test_support::Ball({4, -3, 2}, 6), -1, 1, 16);
    ExportOptions options;
    options.cells = 16;
    options.lattice = {0.25, {100, 200, -50}};
    for (const ExportFormat format : kFormats) {
        const Soup soup = exported(format, world.meshes, options);
        ASSERT_FALSE(soup.positions.empty());
        for (const Vector3& at : soup.positions) {
            const double distance = std::hypot(at.x - 101, at.y - 199.25, at.z + 49.5);
            EXPECT_NEAR(distance, 1.5, 0.02);
        }
    }
}

TEST(Formats, NormalsStayWithTheirPositions) {
    const World world = test_support::ball_world();
    for (const Variant& variant : all_variants()) {
        if (variant.format == ExportFormat::stl) continue;
        SCOPED_TRACE(text_of(variant));
        const Soup soup = exported(variant.format, world.meshes, options_of(variant, world));
        if (variant.collision) {
            EXPECT_TRUE(soup.normals.empty());
            EXPECT_TRUE(soup.materials.empty());
            continue;
        }
        ASSERT_EQ(soup.normals.size(), soup.positions.size());
        // A vertex beside a coarser chunk slides along the ball and keeps the normal of its edge.
        for (std::size_t i = 0; i < soup.normals.size(); ++i) {
            const Vector3& at = soup.positions[i];
            const double length = std::hypot(at.x - 60.2, at.y - 61.7, at.z - 59.4);
            ASSERT_NEAR(soup.normals[i].x, (at.x - 60.2) / length, 0.06);
            ASSERT_NEAR(soup.normals[i].y, (at.y - 61.7) / length, 0.06);
            ASSERT_NEAR(soup.normals[i].z, (at.z - 59.4) / length, 0.06);
        }
    }
}

TEST(Formats, MaterialsStayWithTheirPositions) {
    World world = test_support::ball_world();
    // A weight that follows from the place, so that it can be recognised in any order.
    const auto weights_at = [](float x) {
        const auto part = static_cast<std::uint8_t>(std::clamp(x, 0.0F, 255.0F));
        return MaterialWeights{{part, 0, static_cast<std::uint8_t>(255 - part), 0}};
    };
    for (Mesh& mesh : world.meshes) {
        for (const Vector3& at : mesh.positions) {
            mesh.materials.push_back(
                weights_at((static_cast<float>(mesh.key.x * 8) + at.x) * static_cast<float>(1 << mesh.key.lod)));
        }
    }
    for (const Variant& variant : all_variants()) {
        if (variant.collision || (variant.format != ExportFormat::glb && variant.format != ExportFormat::ply)) continue;
        SCOPED_TRACE(text_of(variant));
        const Soup soup = exported(variant.format, world.meshes, options_of(variant, world));
        ASSERT_EQ(soup.materials.size(), soup.positions.size());
        for (std::size_t i = 0; i < soup.materials.size(); ++i) {
            ASSERT_EQ(soup.materials[i], weights_at(soup.positions[i].x));
        }
    }
}

TEST(Formats, AMeshWithoutMaterialsAmongOthersShowsTheFirst) {
    World world = test_support::ball_world();
    test_support::add_materials(world);
    world.meshes.front().materials.clear();
    ExportOptions options;
    options.cells = world.cells;
    options.optimise = false;
    const Soup soup = exported(ExportFormat::ply, world.meshes, options);
    ASSERT_EQ(soup.materials.size(), soup.positions.size());
    EXPECT_EQ(soup.materials.front(), MaterialWeights{});
    EXPECT_EQ(soup.materials.back(), world.meshes.back().materials.back());
    options.welded = true;
    const Soup welded = exported(ExportFormat::glb, world.meshes, options);
    ASSERT_EQ(welded.materials.size(), welded.positions.size());
    EXPECT_EQ(welded.materials.front(), MaterialWeights{});
}

TEST(Formats, ObjNamesItsObjectsByTheirChunks) {
    const World world = test_support::ball_world();
    ExportOptions options;
    options.cells = world.cells;
    const Soup chunks = exported(ExportFormat::obj, world.meshes, options);
    EXPECT_EQ(chunks.names, exported(ExportFormat::glb, world.meshes, options).names);
    EXPECT_EQ(chunks.names.size(), world.meshes.size());
    options.welded = true;
    EXPECT_EQ(exported(ExportFormat::obj, world.meshes, options).names, std::vector<std::string>{"world"});
}

TEST(Formats, StlNormalsAreThoseOfTheTriangles) {
    const World world = test_support::ball_world();
    ExportOptions options;
    options.cells = world.cells;
    const Soup soup = exported(ExportFormat::stl, world.meshes, options);
    ASSERT_EQ(soup.face_normals.size() * 3, soup.positions.size());
    for (std::size_t i = 0; i < soup.face_normals.size(); ++i) {
        const Vector3& normal = soup.face_normals[i];
        const Vector3& at = soup.positions[3 * i];
        ASSERT_NEAR(std::hypot(normal.x, normal.y, normal.z), 1, 1e-5);
        for (std::size_t corner = 1; corner < 3; ++corner) {
            const Vector3& other = soup.positions[3 * i + corner];
            ASSERT_NEAR(normal.x * (other.x - at.x) + normal.y * (other.y - at.y) + normal.z * (other.z - at.z), 0,
                        1e-4);
        }
    }
}

TEST(Formats, SizesAreKnownBeforehand) {
    World world = test_support::ball_world();
    for (int materials = 0; materials < 2; ++materials) {
        for (const Variant& variant : all_variants()) {
            SCOPED_TRACE(text_of(variant));
            const ExportOptions options = options_of(variant, world);
            std::ostringstream out;
            write(variant.format, out, world.meshes, options);
            const auto size = static_cast<double>(out.str().size());
            const auto estimate = static_cast<double>(estimated_size(variant.format, world.meshes, options));
            EXPECT_NEAR(estimate / size, 1, variant.format == ExportFormat::obj ? 0.15 : 0);
        }
        test_support::add_materials(world);
    }
}

TEST(Formats, OfNothingAreValidFiles) {
    for (const std::vector<Mesh>& meshes : {std::vector<Mesh>{}, std::vector<Mesh>(2)}) {
        for (const Variant& variant : all_variants()) {
            SCOPED_TRACE(text_of(variant));
            World world;
            world.cells = 32;
            const Soup soup = exported(variant.format, meshes, options_of(variant, world));
            EXPECT_TRUE(soup.indices.empty());
            EXPECT_TRUE(soup.positions.empty());
        }
    }
}

TEST(Formats, TakeMoreVerticesThanSixteenBitsCount) {
    const std::vector<Mesh> meshes{test_support::ribbon(70'000)};
    for (const ExportFormat format : kFormats) {
        ExportOptions options;
        const Soup soup = exported(format, meshes, options);
        EXPECT_EQ(soup.indices.size(), 3u * 69'998);
        EXPECT_EQ(soup.positions.size(), format == ExportFormat::stl ? soup.indices.size() : 70'000u);
    }
}

TEST(Welded, HasEachPlaceOnce) {
    const World world = test_support::ball_world();
    std::size_t before = 0;
    for (const Mesh& mesh : world.meshes) before += mesh.positions.size();
    for (const ExportFormat format : {ExportFormat::glb, ExportFormat::obj, ExportFormat::ply}) {
        ExportOptions options;
        options.cells = world.cells;
        options.welded = true;
        const Soup soup = exported(format, world.meshes, options);
        std::set<std::array<float, 3>> places;
        for (const Vector3& at : soup.positions) places.insert({at.x, at.y, at.z});
        EXPECT_EQ(places.size(), soup.positions.size());
        EXPECT_LT(soup.positions.size(), before);
        // Closed by its numbers alone.
        std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
        for (std::size_t i = 0; i < soup.indices.size(); ++i) {
            const std::size_t next = i % 3 == 2 ? i - 2 : i + 1;
            ++edges[{soup.indices[i], soup.indices[next]}];
        }
        for (const auto& [edge, count] : edges) ASSERT_EQ(count, (edges[{edge.second, edge.first}]));
    }
}

TEST(Welded, PositionsAreExactInWorldsOfTwoThousandVoxels) {
    // Far from 0, where floats would not hold them.
    const test_support::Ball ball({(1 << 20) + 4.2, 8.1, -7.3}, 5);
    World world;
    world.cells = 8;
    for (std::int32_t place = 0; place < 64; ++place) {
        test_support::add_chunk(world, ball, {0, (1 << 17) - 2 + place % 4, place / 4 % 4 - 1, place / 16 - 2}, 0);
    }
    ExportOptions options;
    options.cells = world.cells;
    options.welded = true;
    const test_support::GlbFile file(test_support::glb_of(world.meshes, options));
    const tinygltf::Node& node = file.model().nodes.at(0);
    EXPECT_EQ(node.name, "world");
    std::set<std::array<double, 3>> wanted;
    for (const Mesh& mesh : world.meshes) {
        for (const Vector3& at : mesh.positions) {
            wanted.insert({mesh.key.x * 8.0 + at.x, mesh.key.y * 8.0 + at.y, mesh.key.z * 8.0 + at.z});
        }
    }
    std::set<std::array<double, 3>> found;
    for (const Vector3& at : file.attribute<Vector3>(0, "POSITION")) {
        found.insert({at.x + node.translation[0], at.y + node.translation[1], at.z + node.translation[2]});
    }
    EXPECT_GT(found.size(), 100u);
    EXPECT_EQ(found, wanted);
}

TEST(Collision, HasNoTriangleWithoutArea) {
    const World world = test_support::octree_world(test_support::Static(4, 0.5), 4, 4, 100);
    for (const bool welded : {false, true}) {
        ExportOptions options;
        options.cells = world.cells;
        options.collision = true;
        options.welded = welded;
        const Soup soup = exported(ExportFormat::ply, world.meshes, options);
        std::set<std::uint32_t> used;
        for (std::size_t i = 0; i < soup.indices.size(); i += 3) {
            const Vector3& a = soup.positions[soup.indices[i]];
            const Vector3& b = soup.positions[soup.indices[i + 1]];
            const Vector3& c = soup.positions[soup.indices[i + 2]];
            const double ux = double{b.x} - a.x, uy = double{b.y} - a.y, uz = double{b.z} - a.z;
            const double vx = double{c.x} - a.x, vy = double{c.y} - a.y, vz = double{c.z} - a.z;
            ASSERT_GT(std::hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx), 0);
            used.insert({soup.indices[i], soup.indices[i + 1], soup.indices[i + 2]});
        }
        EXPECT_EQ(used.size(), soup.positions.size());
    }
}

}  // namespace
}  // namespace quarry::terrain
