#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/collision_patch.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "terrain/collision/patches.hpp"
#include "terrain/collision/tidy.hpp"
#include "tests/terrain/support.hpp"
#include "tests/terrain/test_fields.hpp"

namespace quarry::terrain::collision {

using Place = std::array<double, 3>;
using PlaceTriangle = std::array<Place, 3>;

inline std::shared_ptr<const Field> hills(std::uint64_t seed = 3) {
    return std::make_shared<NoiseField>(NoiseOptions{.seed = seed, .frequency = 0.03, .amplitude = 20});
}

// Flat at a whole height, but for what a computation adds: nearly every lattice point there is nearly on the surface.
class AlmostFlat final : public Field {
  public:
    explicit AlmostFlat(double height, double noise = 1e-6) : height_(height), noise_(noise) {}
    void densities(std::span<const Position> points, std::span<float> out) const override {
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double wave = std::sin(points[i].x * 12.9898 + points[i].y * 7.1 + points[i].z * 78.233) * 43758.5453;
            out[i] = static_cast<float>(points[i].y - height_ + noise_ * (wave - std::floor(wave) - 0.5));
        }
    }
    Interval bounds(const Box& box) const override {
        return {static_cast<float>(box.low.y - height_ - noise_ - 0.001),
                static_cast<float>(box.high.y - height_ + noise_ + 0.001)};
    }
    void gradients(std::span<const Position> /*points*/, double /*spacing*/, std::span<Gradient> out) const override {
        for (Gradient& gradient : out) gradient = {0, 1, 0};
    }

  private:
    double height_;
    double noise_;
};

inline std::shared_ptr<Source> source_of(std::shared_ptr<const Field> field, std::int32_t cells = 16,
                                         double simplify = 0) {
    auto source = std::make_shared<Source>();
    source->number = 1;
    source->field = std::move(field);
    source->extract.cells = cells;
    source->simplify = simplify;
    return source;
}

// Corners in voxels of the world, exactly.
inline std::vector<PlaceTriangle> triangles_of(const CollisionPatch& patch, std::int32_t cells) {
    std::vector<PlaceTriangle> triangles;
    const auto place = [&](std::size_t i) {
        const Vector3& at = patch.positions[patch.indices[i]];
        return Place{patch.chunk.x * 1.0 * cells + at.x, patch.chunk.y * 1.0 * cells + at.y,
                     patch.chunk.z * 1.0 * cells + at.z};
    };
    for (std::size_t i = 0; i + 2 < patch.indices.size(); i += 3)
        triangles.push_back({place(i), place(i + 1), place(i + 2)});
    return triangles;
}

// Edges that are walked more often one way than the other.
class EdgeBalance {
  public:
    void add(const PlaceTriangle& triangle) {
        for (std::size_t k = 0; k < 3; ++k) {
            const Place& a = triangle[k];
            const Place& b = triangle[(k + 1) % 3];
            balance_[std::minmax(a, b)] += a < b ? 1 : -1;
        }
    }
    // Not counting those that lie on a side of the box with all of both ends.
    std::size_t open_within(const Place& low, const Place& high) const {
        std::size_t open = 0;
        for (const auto& [ends, balance] : balance_) {
            bool on_rim = false;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double a = ends.first[axis];
                const double b = ends.second[axis];
                on_rim = on_rim || (a == b && (a == low[axis] || a == high[axis]));
            }
            if (balance != 0 && !on_rim) ++open;
        }
        return open;
    }
    std::size_t edges() const { return balance_.size(); }

  private:
    std::map<std::pair<Place, Place>, int> balance_;
};

}  // namespace quarry::terrain::collision
