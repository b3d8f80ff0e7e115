// How good the meshes of whole worlds with seams are: where moved vertices end up, which way triangles face, how thin
// they are.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/combined_field.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "quarry/terrain/warped_field.hpp"
#include "quarry/terrain/world.hpp"
#include "showcase/showcase.hpp"

namespace {

using namespace quarry::terrain;

struct Vector {
    double x, y, z;
};

Vector minus(const Position& a, const Position& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vector cross(const Vector& a, const Vector& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
double dot(const Vector& a, const Vector& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
double length(const Vector& a) {
    return std::sqrt(dot(a, a));
}

struct Quality {
    std::vector<double> moved_off;  // how far moved vertices are from the surface, in cells
    std::size_t triangles = 0;
    std::size_t transition_triangles = 0;
    std::size_t inward = 0;             // against the field's own gradient
    std::size_t inward_transition = 0;  // of these, in transition cells
    double area = 0;
    double area_away = 0;  // that faces away from the sum of its own normals
    double least_height = 1e9;
    double least_regular_height = 1e9;
    std::size_t thin = 0;  // heights below 0.01 cells
    std::size_t duplicates = 0;

    double mean_off() const {
        double sum = 0;
        for (const double each : moved_off) sum += each;
        return moved_off.empty() ? 0 : sum / static_cast<double>(moved_off.size());
    }
    double off_at(double share) const {
        if (moved_off.empty()) return 0;
        std::vector<double> sorted = moved_off;
        std::sort(sorted.begin(), sorted.end());
        return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
    }
};

class Examination {
  public:
    explicit Examination(const Field& field) : field_(field) {}

    void add(const PlacedChunk& place) {
        const ChunkMesh chunk = extract(field_, place.key);
        if (chunk.content != ChunkContent::surface) return;
        const Mesh mesh = bake(chunk, place.mask);
        const SampleBlock block = samples_of(place.key, {});
        cell_ = block.step;
        places_.clear();
        for (const Vector3& at : mesh.positions) {
            places_.push_back({block.first.x + static_cast<double>(at.x) * cell_,
                               block.first.y + static_cast<double>(at.y) * cell_,
                               block.first.z + static_cast<double>(at.z) * cell_});
        }
        for (std::size_t i = 0; i < chunk.full_vertices; ++i) {
            if (mesh.positions[i] != chunk.positions[i]) add_moved(places_[i]);
        }
        std::set<std::array<float, 3>> seen;
        for (const Vector3& at : mesh.positions) {
            if (!seen.insert({at.x, at.y, at.z}).second) ++quality.duplicates;
        }
        for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
            add_triangle(mesh, mesh.indices[i], mesh.indices[i + 1], mesh.indices[i + 2], i < mesh.regular_indices);
        }
    }

    Quality quality;

  private:
    void add_moved(const Position& at) {
        const Gradient g = field_.gradient_at(at, cell_);
        const double slope = std::sqrt(static_cast<double>(g.x * g.x + g.y * g.y + g.z * g.z));
        quality.moved_off.push_back(std::abs(static_cast<double>(field_.density_at(at))) / std::max(slope, 1e-6) /
                                    cell_);
    }

    void add_triangle(const Mesh& mesh, std::uint32_t ia, std::uint32_t ib, std::uint32_t ic, bool regular) {
        const Position &a = places_[ia], &b = places_[ib], &c = places_[ic];
        const Vector normal = cross(minus(b, a), minus(c, a));
        const double twice = length(normal);
        const double longest = std::max({length(minus(b, a)), length(minus(c, b)), length(minus(a, c))});
        const double height = twice / longest / cell_;
        quality.least_height = std::min(quality.least_height, height);
        if (regular) quality.least_regular_height = std::min(quality.least_regular_height, height);
        quality.thin += height < 0.01 ? 1 : 0;
        ++quality.triangles;
        quality.transition_triangles += regular ? 0 : 1;
        const double area = twice / 2 / cell_ / cell_;
        quality.area += area;
        Vector sum{0, 0, 0};
        for (const std::uint32_t i : {ia, ib, ic}) {
            sum.x += static_cast<double>(mesh.normals[i].x);
            sum.y += static_cast<double>(mesh.normals[i].y);
            sum.z += static_cast<double>(mesh.normals[i].z);
        }
        if (dot(normal, sum) < 0) quality.area_away += area;
        const Gradient g =
            field_.gradient_at({(a.x + b.x + c.x) / 3, (a.y + b.y + c.y) / 3, (a.z + b.z + c.z) / 3}, cell_);
        if (dot(normal, {static_cast<double>(g.x), static_cast<double>(g.y), static_cast<double>(g.z)}) < 0) {
            ++quality.inward;
            quality.inward_transition += regular ? 0 : 1;
        }
    }

    const Field& field_;
    double cell_ = 1;
    std::vector<Position> places_;
};

Quality quality_of(const char* name, const Field& field, const OctreeOptions& world) {
    Examination all(field);
    for (const PlacedChunk& place : octree_world(world)) all.add(place);
    const Quality& q = all.quality;
    std::printf(
        "%-9s %7zu triangles (%zu in transition cells, %zu vertices moved): off %.4f cells, p99 %.4f; inward %zu (%zu "
        "in "
        "transition cells); area against normals %.4f %%; least height %.2g (regular cells %.2g), %zu below 0.01; %zu "
        "duplicates\n",
        name, q.triangles, q.transition_triangles, q.moved_off.size(), q.mean_off(), q.off_at(0.99), q.inward,
        q.inward_transition, 100 * q.area_away / q.area, q.least_height, q.least_regular_height, q.thin, q.duplicates);
    return q;
}

const OctreeOptions kNear{.viewer = {0, 0, 0}, .radius = 400, .lod_distance = 40, .max_lod = 3};

std::shared_ptr<const Field> planet() {
    return std::make_shared<WarpedField>(std::make_shared<SphereField>(Position{3, 5, -7}, 300.0),
                                         NoiseOptions{.seed = 3, .octaves = 4, .frequency = 0.01, .amplitude = 20});
}

struct World {
    const char* name;
    std::shared_ptr<const Field> field;
    OctreeOptions places;
    double most_off;  // of moved vertices, on average, in cells
    double most_off_p99;
    std::size_t most_inward;  // triangles
};

// The noise has waves of 6 units: at LOD 2 and 3 cells are as long as these, and no plane follows the ground. Eight of
// its transition triangles face inwards all the same, between vertices that other chunks have too; three are of regular
// cells.
std::vector<World> smooth_worlds() {
    const OctreeOptions small{.radius = 320, .lod_distance = 40, .max_lod = 3};
    OctreeOptions at_sphere = small;
    at_sphere.viewer = {150, 0, 0};
    OctreeOptions at_torus = small;
    at_torus.viewer = {120, 40, 0};
    return {
        {"sphere", std::make_shared<SphereField>(Position{0.3, 0.7, -0.2}, 150.0), at_sphere, 0.02, 0.1, 0},
        {"torus", std::make_shared<TorusField>(Position{0.3, 0.2, 0.1}, 120.0, 45.0), at_torus, 0.02, 0.1, 0},
        {"planet", planet(), {.viewer = {300, 0, 0}, .radius = 640, .lod_distance = 64, .max_lod = 4}, 0.02, 0.1, 0},
        {"noise", std::make_shared<NoiseField>(), kNear, 0.03, 0.2, 11}};
}

TEST(MeshQuality, MovedVerticesStayOnTheSurfaceAndNoTriangleIsASliver) {
    for (const World& world : smooth_worlds()) {
        const Quality q = quality_of(world.name, *world.field, world.places);
        ASSERT_GT(q.moved_off.size(), 500U) << world.name;
        EXPECT_LE(q.mean_off(), world.most_off) << world.name;
        EXPECT_LE(q.off_at(0.99), world.most_off_p99) << world.name;
        EXPECT_LE(q.inward, world.most_inward) << world.name;
        EXPECT_EQ(q.thin, 0U) << world.name;
        EXPECT_EQ(q.duplicates, 0U) << world.name;
    }
}

TEST(MeshQuality, AWildWorldWithSeamsHasNoSlivers) {
    const NoiseField wild({.seed = 7, .octaves = 4, .frequency = 0.03, .amplitude = 300});
    const Quality q = quality_of("wild", wild, {.viewer = {0, 0, 0}, .radius = 120, .lod_distance = 40, .max_lod = 2});
    ASSERT_GT(q.transition_triangles, 1000U);
    EXPECT_EQ(q.thin, 0U);
    EXPECT_EQ(q.duplicates, 0U);
}

TEST(MeshQuality, NormalsAgreeWithTheTrianglesInTheShowcaseAndInAWildWorld) {
    const auto showcase = showcase_field();
    const Quality shown = quality_of("showcase", *showcase, kNear);
    EXPECT_LE(shown.area_away, 1e-4 * shown.area);
    EXPECT_EQ(shown.duplicates, 0U);
    EXPECT_EQ(shown.thin, 0U);
    EXPECT_LE(shown.inward_transition, 1U);
    const NoiseField wild({.seed = 7, .octaves = 4, .frequency = 0.03, .amplitude = 300});
    for (std::int32_t lod = 0; lod <= 3; ++lod) {
        Examination all(wild);
        for (const PlacedChunk& place :
             box_world({64.0 * (1 << lod), 64.0 * (1 << lod), 64.0 * (1 << lod)}, {.lod = lod})) {
            all.add(place);
        }
        const Quality& q = all.quality;
        std::printf("wild, LOD %d: %zu triangles, area against normals %.4f %%\n", lod, q.triangles,
                    100 * q.area_away / q.area);
        ASSERT_GT(q.triangles, 1000U);
        EXPECT_LE(q.area_away, 1e-3 * q.area) << "LOD " << lod;
    }
}

}  // namespace
