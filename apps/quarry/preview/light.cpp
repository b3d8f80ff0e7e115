#include "preview/light.hpp"

#include <algorithm>
#include <cmath>

#include "quarry/jobs/parallel_for.hpp"

namespace quarry::app::preview {
namespace {

constexpr int kSkyDirections = 24;
constexpr int kBands = 8;
// Of the whole scene's radius: how far the finer maps reach.
constexpr float kNearShare = 0.16F;
constexpr float kNearestShare = 0.035F;

// Spread evenly over the upper half of the sphere.
Vec sky_direction(int i) {
    const float up = (static_cast<float>(i) + 0.5F) / kSkyDirections;
    const float turn = static_cast<float>(i) * 2.3999632F;
    const float flat = std::sqrt(1 - up * up);
    return {flat * std::cos(turn), up, flat * std::sin(turn)};
}

DepthMap map_near(const Geometry& geometry, Vec towards, Vec eye, Vec forward, float share, int size) {
    const float half = geometry.radius() * share;
    return {towards, eye + forward * (half * 0.8F), half, size};
}

void draw_all(Pool& pool, const Geometry& geometry, std::vector<DepthMap>& maps, int bands) {
    parallel_for(pool, std::size_t{0}, maps.size() * static_cast<std::size_t>(bands), [&](std::size_t i) {
        DepthMap& map = maps[i / static_cast<std::size_t>(bands)];
        const int band = static_cast<int>(i % static_cast<std::size_t>(bands));
        map.draw(geometry, map.size() * band / bands, map.size() * (band + 1) / bands);
    });
}

}  // namespace

SunShadow::SunShadow(Pool& pool, const Geometry& geometry, Vec to_sun, Vec eye, Vec forward, int map_size) {
    maps_.push_back(map_near(geometry, to_sun, eye, forward, kNearestShare, map_size));
    maps_.push_back(map_near(geometry, to_sun, eye, forward, kNearShare, map_size));
    maps_.emplace_back(to_sun, geometry.middle(), geometry.radius() * 1.02F, map_size);
    draw_all(pool, geometry, maps_, kBands);
}

float SunShadow::light_at(Vec place, Vec normal) const noexcept {
    for (const DepthMap& map : maps_) {
        const Vec above = place + normal * (map.texel() * 1.6F);
        if (map.covers(above, 3)) return map.soft_light_at(above, map.texel() * 0.6F);
    }
    return 1;
}

std::vector<std::vector<Vec>> sky_light(Pool& pool, const Geometry& geometry, const Atmosphere& air, Vec eye,
                                        Vec forward, const std::vector<bool>& wanted, int map_size) {
    std::vector<DepthMap> near;
    std::vector<DepthMap> whole;
    std::vector<Vec> directions;
    std::vector<Vec> light;
    for (int i = 0; i < kSkyDirections; ++i) {
        const Vec direction = sky_direction(i);
        near.push_back(map_near(geometry, direction, eye, forward, kNearShare, map_size));
        whole.emplace_back(direction, geometry.middle(), geometry.radius() * 1.02F, map_size);
        directions.push_back(direction);
        light.push_back(air.sky(direction) * (1.6F / kSkyDirections));
    }
    draw_all(pool, geometry, near, 1);
    draw_all(pool, geometry, whole, 1);

    // What ground in the sun sends back into the shade.
    const Vec back = air.sunlight() * Vec{0.030F, 0.028F, 0.024F};
    std::vector<std::vector<Vec>> all(geometry.meshes.size());
    parallel_for(pool, std::size_t{0}, all.size(), [&](std::size_t m) {
        if (!wanted[m]) return;
        const PlacedMesh& mesh = geometry.meshes[m];
        all[m].resize(mesh.positions.size());
        for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
            const terrain::Vector3& n = mesh.mesh->normals[v];
            const Vec normal{n.x, n.y, n.z};
            Vec sum;
            float open = 0;
            for (std::size_t i = 0; i < light.size(); ++i) {
                const bool is_near = near[i].covers(mesh.positions[v]);
                const DepthMap& map = is_near ? near[i] : whole[i];
                const Vec above = mesh.positions[v] + normal * (map.texel() * 1.2F + mesh.cell * 0.3F);
                const float reached = map.light_at(above, map.texel() * 0.8F);
                open += reached * (1.0F / kSkyDirections);
                const float facing = dot(normal, directions[i]);
                if (facing > 0) sum += light[i] * (facing * reached);
            }
            const float below = 0.5F - 0.5F * normal.y;
            all[m][v] = sum + back * ((0.25F + 0.75F * open) * (0.5F + below) * (0.2F + open));
        }
    });
    return all;
}

}  // namespace quarry::app::preview
