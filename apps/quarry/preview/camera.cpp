#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "preview/depth_map.hpp"
#include "preview/scene.hpp"
#include "quarry/jobs/parallel_for.hpp"

namespace quarry::app::preview {
namespace {

constexpr int kMapSize = 256;
constexpr int kStandsAcross = 9;
constexpr int kDirections = 24;
constexpr float kPi = std::numbers::pi_v<float>;

// The heights of a landscape, seen from above; water counts as ground.
struct Heights {
    DepthMap map;
    float middle;
    float water;

    Heights(const Geometry& geometry, const RenderOptions& options)
        : map({0, 1, 0}, geometry.middle(), half_width(geometry) * 1.01F, kMapSize),
          middle(geometry.middle().y),
          water(options.water_level ? static_cast<float>(*options.water_level - geometry.origin.y)
                                    : std::numeric_limits<float>::lowest()) {
        map.draw(geometry, 0, kMapSize);
    }

    static float half_width(const Geometry& geometry) {
        const Vec size = geometry.high - geometry.low;
        return std::max({size.x, size.z, size.y * 1e-3F, 1e-6F}) * 0.5F;
    }

    // kNothing where there is no ground.
    float at(Vec place) const {
        // The map's columns and rows are straight along x and z, in whichever direction.
        const Vec first = map.place(0, 0);
        const Vec across = map.place(1, 0) - first;
        const Vec down = map.place(0, 1) - first;
        const Vec from{place.x - first.x, 0, place.z - first.z};
        const int column = static_cast<int>(std::floor(dot(from, across) / dot(across, across) + 0.5F));
        const int row = static_cast<int>(std::floor(dot(from, down) / dot(down, down) + 0.5F));
        if (column < 0 || row < 0 || column >= kMapSize || row >= kMapSize) return DepthMap::kNothing;
        const float depth = map.depth(column, row);
        return depth == DepthMap::kNothing ? depth : std::max(depth + middle, water);
    }

    // Some land, and water all around it.
    bool is_island() const {
        const auto is_land = [&](int column, int row) {
            const float depth = map.depth(column, row);
            return depth != DepthMap::kNothing && depth + middle > water;
        };
        if (water == std::numeric_limits<float>::lowest()) return false;
        constexpr int kRim = kMapSize / 16;
        int land = 0;
        for (int row = 0; row < kMapSize; ++row) {
            for (int column = 0; column < kMapSize; ++column) {
                if (!is_land(column, row)) continue;
                const int to_rim = std::min({row, column, kMapSize - 1 - row, kMapSize - 1 - column});
                if (to_rim < kRim) return false;
                ++land;
            }
        }
        return land > 0;
    }

    float coverage() const {
        int covered = 0;
        for (int row = 0; row < kMapSize; ++row) {
            for (int column = 0; column < kMapSize; ++column) {
                if (map.depth(column, row) != DepthMap::kNothing) ++covered;
            }
        }
        return static_cast<float>(covered) / (kMapSize * kMapSize);
    }
};

// Where the meshes are finest: the viewer of an octree cut stood there.
struct Finest {
    Vec middle;
    float half_width = 0;
};

Finest finest_part(const Geometry& geometry) {
    std::int32_t lod = geometry.meshes.front().mesh->key.lod;
    for (const PlacedMesh& mesh : geometry.meshes) lod = std::min(lod, mesh.mesh->key.lod);
    Vec low;
    Vec high;
    bool any = false;
    for (const PlacedMesh& mesh : geometry.meshes) {
        if (mesh.mesh->key.lod != lod) continue;
        low = any ? least(low, mesh.low) : mesh.low;
        high = any ? greatest(high, mesh.high) : mesh.high;
        any = true;
    }
    return {(low + high) * 0.5F, std::max(high.x - low.x, high.z - low.z) * 0.5F};
}

struct Stand {
    Vec eye;
    float turn = 0;
    float horizon = 0;  // mean slope up to what ends the view
    float score = -1e30F;
};

// How good the view is: much ground that shows, a skyline that goes up and down, nothing in front of the face.
Stand judged(const Heights& heights, Vec eye, float turn, float width) {
    constexpr int kRays = 9;
    constexpr int kSteps = 48;
    float seen = 0;
    float blocked = 0;
    std::array<float, kRays> skyline{};
    for (int ray = 0; ray < kRays; ++ray) {
        const float angle = turn + (static_cast<float>(ray) / (kRays - 1) - 0.5F) * (kPi / 3);
        const Vec direction{std::cos(angle), 0, std::sin(angle)};
        float highest = -10;
        for (int step = 1; step <= kSteps; ++step) {
            const float share = static_cast<float>(step) / kSteps;
            const float distance = width * (0.01F + 0.99F * share * share);
            const float height = heights.at(eye + direction * distance);
            if (height == DepthMap::kNothing) break;
            const float slope = (height - eye.y) / distance;
            if (slope > highest) {
                highest = slope;
                seen += share;
            }
            if (slope > 0.05F && distance < width * 0.15F) blocked += 1;
        }
        skyline[static_cast<std::size_t>(ray)] = std::max(highest, -0.3F);
    }
    float mean = 0;
    for (const float slope : skyline) mean += slope / kRays;
    float spread = 0;
    for (const float slope : skyline) spread += std::abs(slope - mean) / kRays;
    const float lift = std::clamp(mean, -0.1F, 0.15F) + std::min(spread, 0.12F);
    return {eye, turn, mean, seen / (kRays * kSteps) * 4 + lift * 8 - blocked * 0.15F};
}

// What is seen from outside: all that lies above the water.
class Thing {
  public:
    Thing(const Geometry& geometry, float water) : geometry_(geometry), water_(water) {
        bool any = false;
        for_each_place([&](Vec place) {
            low_ = any ? least(low_, place) : place;
            high_ = any ? greatest(high_, place) : place;
            any = true;
        });
        if (any) return;
        low_ = geometry.low;
        high_ = geometry.high;
    }

    Vec middle() const { return (low_ + high_) * 0.5F; }

    // How far from the middle the eye has to be for every vertex to show, with a margin.
    float distance_that_shows(Vec towards_eye, float field_of_view, const RenderOptions& options) const {
        constexpr float kMargin = 1.08F;
        const float half_height = std::tan(field_of_view * kPi / 360);
        const float half_width = half_height * static_cast<float>(options.width) / static_cast<float>(options.height);
        const Vec right = normalised(cross({0, 1, 0}, towards_eye));
        const Vec up = cross(towards_eye, right);
        const Vec centre = middle();
        float distance = geometry_.radius() * 0.01F;
        for_each_place([&](Vec place) {
            const Vec from = place - centre;
            const float across =
                std::max(std::abs(dot(from, right)) / half_width, std::abs(dot(from, up)) / half_height);
            distance = std::max(distance, dot(from, towards_eye) + kMargin * across);
        });
        return distance;
    }

  private:
    template <class Visit>
    void for_each_place(Visit visit) const {
        for (const PlacedMesh& mesh : geometry_.meshes) {
            for (const Vec& place : mesh.positions) {
                if (place.y >= water_) visit(place);
            }
        }
    }

    const Geometry& geometry_;
    float water_;
    Vec low_;
    Vec high_;
};

Camera from_outside(const Geometry& geometry, const RenderOptions& options, float water, Vec direction) {
    constexpr float kFieldOfView = 35;
    const Thing thing(geometry, water);
    const Vec towards_eye = normalised(direction);
    const Vec eye = thing.middle() + towards_eye * thing.distance_that_shows(towards_eye, kFieldOfView, options);
    const auto world = [&](Vec place) {
        return terrain::Position{geometry.origin.x + static_cast<double>(place.x),
                                 geometry.origin.y + static_cast<double>(place.y),
                                 geometry.origin.z + static_cast<double>(place.z)};
    };
    return {world(eye), world(thing.middle()), static_cast<double>(kFieldOfView)};
}

constexpr Vec kFromAbove{0.62F, 0.52F, 0.80F};
constexpr Vec kOverTheWater{0.62F, 0.30F, 0.80F};

Stand best_stand(Pool& pool, const Geometry& geometry, const Heights& heights) {
    const Finest finest = finest_part(geometry);
    const float width = Heights::half_width(geometry);
    // Of a world in one level all but the rim; of an octree cut close to where the viewer was.
    const float reach = std::min(finest.half_width * 0.5F, width * 0.6F);
    // Over the hills, but not so far that the finest part is missed.
    const float relief = geometry.high.y - geometry.low.y;
    const float above = std::min(std::max(width * 0.03F, relief * 0.4F), finest.half_width * 0.25F);
    std::vector<Stand> best(kStandsAcross * kStandsAcross);
    parallel_for(pool, std::size_t{0}, best.size(), [&](std::size_t i) {
        const auto place = [&](std::size_t number) {
            return (static_cast<float>(number) / (kStandsAcross - 1) * 2 - 1) * reach;
        };
        Vec eye = finest.middle + Vec{place(i % kStandsAcross), 0, place(i / kStandsAcross)};
        const float ground = heights.at(eye);
        if (ground == DepthMap::kNothing) return;
        eye.y = ground + above;
        for (int turn = 0; turn < kDirections; ++turn) {
            const Stand stand = judged(heights, eye, static_cast<float>(turn) * (2 * kPi / kDirections), width);
            if (stand.score > best[i].score) best[i] = stand;
        }
    });
    return *std::max_element(best.begin(), best.end(),
                             [](const Stand& one, const Stand& other) { return one.score < other.score; });
}

}  // namespace

Camera choose_camera(Pool& pool, const Geometry& geometry, const RenderOptions& options) {
    if (geometry.meshes.empty()) return {{0, 0, 0}, {0, 0.15, -1}, 45};
    const Heights heights(geometry, options);
    const Vec size = geometry.high - geometry.low;
    const bool is_landscape = size.y < 0.45F * std::max(size.x, size.z) && heights.coverage() > 0.5F;
    if (!is_landscape) return from_outside(geometry, options, DepthMap::kNothing, kFromAbove);
    if (heights.is_island()) return from_outside(geometry, options, heights.water, kOverTheWater);
    const Stand stand = best_stand(pool, geometry, heights);
    if (stand.score <= -1e30F) return from_outside(geometry, options, DepthMap::kNothing, kFromAbove);
    const float down = std::clamp(stand.horizon, -0.2F, 0.3F) - 0.12F;
    const terrain::Position eye{geometry.origin.x + static_cast<double>(stand.eye.x),
                                geometry.origin.y + static_cast<double>(stand.eye.y),
                                geometry.origin.z + static_cast<double>(stand.eye.z)};
    const double ahead = static_cast<double>(geometry.radius());
    return {eye,
            {eye.x + std::cos(static_cast<double>(stand.turn)) * ahead, eye.y + static_cast<double>(down) * ahead,
             eye.z + std::sin(static_cast<double>(stand.turn)) * ahead},
            45};
}

}  // namespace quarry::app::preview
