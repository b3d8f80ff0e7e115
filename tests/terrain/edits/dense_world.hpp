#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "quarry/terrain/edit.hpp"
#include "quarry/terrain/field.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain::test_support {

// Edits as plainly as can be: one number for each lattice point of a cube, and for each of them all that was ever done
// to it. What the documentation of Edit and EditWorld says, without bricks, tiles, copies or bounds.
class DenseWorld {
  public:
    DenseWorld(const Field& ground, std::int32_t half, double voxel_size)
        : half_(half),
          side_(2 * half + 1),
          voxel_(voxel_size),
          block_{.first = {-half, -half, -half},
                 .nx = side_,
                 .ny = side_,
                 .nz = side_,
                 .lattice = {.voxel_size = voxel_size}} {
        ground_ = sampled(ground, block_);
        points_.resize(ground_.size());
    }

    const SampleBlock& block() const { return block_; }

    std::vector<float> densities() const {
        std::vector<float> all(ground_.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = density(i);
        return all;
    }
    std::size_t touched() const {
        return static_cast<std::size_t>(
            std::count_if(points_.begin(), points_.end(), [](const Point& p) { return p.value.has_value(); }));
    }

    void apply(const Edit& edit) {
        const std::pair stroke{edit.editor, edit.stroke};
        if (edit.kind == EditKind::undo || edit.kind == EditKind::redo) {
            is_open_ = false;
            for (Segment& segment : segments_) {
                if (segment.stroke == stroke) segment.active = edit.kind == EditKind::redo;
            }
            for (Point& point : points_) settle(point, stroke);
            return;
        }
        if (!is_open_ || segments_.back().stroke != stroke) segments_.push_back({stroke});
        is_open_ = true;
        const std::vector<float> before = densities();
        for (std::size_t i = 0; i < points_.size(); ++i) change(i, edit, before);
    }

  private:
    using Value = std::optional<std::int32_t>;  // in steps of 1/128 voxel; none: the field's own
    struct Change {
        std::size_t segment;
        Value before;
        Value after;
    };
    struct Point {
        Value value;
        std::vector<Change> changes;
    };
    struct Segment {
        std::pair<std::uint16_t, std::uint32_t> stroke;
        bool active = true;
    };

    float density(std::size_t i) const {
        return points_[i].value ? static_cast<float>(*points_[i].value * (voxel_ / 128)) : ground_[i];
    }
    LatticePoint place(std::size_t i) const {
        const auto at = static_cast<std::int32_t>(i);
        return {at % side_ - half_, at / side_ % side_ - half_, at / (side_ * side_) - half_};
    }

    void settle(Point& point, const std::pair<std::uint16_t, std::uint32_t>& stroke) {
        const bool is_of_it = std::any_of(point.changes.begin(), point.changes.end(), [&](const Change& change) {
            return segments_[change.segment].stroke == stroke;
        });
        if (!is_of_it) return;
        point.value = point.changes.front().before;
        for (const Change& change : point.changes) {
            if (segments_[change.segment].active) point.value = change.after;
        }
    }

    static float distance(const Edit& edit, const Vector3& d) {
        const auto length = [](float x, float y, float z) { return std::sqrt(x * x + y * y + z * z); };
        if (edit.shape == BrushShape::sphere) return length(d.x, d.y, d.z) - edit.radius;
        if (edit.shape == BrushShape::box) {
            const float x = std::abs(d.x) - edit.extent.x, y = std::abs(d.y) - edit.extent.y,
                        z = std::abs(d.z) - edit.extent.z;
            return length(std::max(x, 0.0F), std::max(y, 0.0F), std::max(z, 0.0F)) +
                   std::min(std::max({x, y, z}), 0.0F);
        }
        const Vector3 l = edit.extent;
        const float square = l.x * l.x + l.y * l.y + l.z * l.z;
        const float share = square > 0 ? std::clamp((d.x * l.x + d.y * l.y + d.z * l.z) / square, 0.0F, 1.0F) : 0;
        return length(d.x - share * l.x, d.y - share * l.y, d.z - share * l.z) - edit.radius;
    }

    float target(const Edit& edit, std::size_t i, float from, float away, const Position& d,
                 const std::vector<float>& before) const {
        const auto at = [&](std::int32_t x, std::int32_t y, std::int32_t z) {
            return before[i + static_cast<std::size_t>(x + side_ * (y + side_ * z))];
        };
        switch (edit.kind) {
            case EditKind::add:
                return std::min(from, away);
            case EditKind::dig:
                return std::max(from, -away);
            case EditKind::smooth:
                return ((at(-1, 0, 0) + at(1, 0, 0)) + (at(0, -1, 0) + at(0, 1, 0)) + (at(0, 0, -1) + at(0, 0, 1))) *
                       (1.0F / 6);
            case EditKind::flatten: {
                const Vector3 n = edit.normal;
                const double size = std::sqrt(double{n.x} * n.x + double{n.y} * n.y + double{n.z} * n.z);
                return static_cast<float>((d.x * n.x + (d.y * n.y + d.z * n.z)) / size);
            }
            default:
                return from - edit.amount;
        }
    }

    void change(std::size_t i, const Edit& edit, const std::vector<float>& before) {
        const LatticePoint p = place(i);
        const Position d{p.x * voxel_ - edit.at.x, p.y * voxel_ - edit.at.y, p.z * voxel_ - edit.at.z};
        const float away = distance(edit, {static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z)});
        const bool has_margin = edit.kind == EditKind::add || edit.kind == EditKind::dig;
        float share = 0;
        if (edit.falloff > 0) {
            const float t = std::clamp(-away / edit.falloff, 0.0F, 1.0F);
            share = edit.strength * (t * t * (3 - 2 * t));
        } else if (away < (has_margin ? 2 * voxel_ : 0)) {
            share = edit.strength;
        }
        if (!(share > 0)) return;
        const float from = before[i];
        const float to = target(edit, i, from, away, d, before);
        const float end = share == 1 ? to : from + share * (to - from);
        const auto value =
            static_cast<std::int32_t>(std::nearbyint(std::clamp(end * (128 / voxel_), -32767.0, 32767.0)));
        Point& point = points_[i];
        if (point.value ? *point.value == value : std::abs(end - from) < voxel_ / 256) return;
        const std::size_t now = segments_.size() - 1;
        if (point.changes.empty() || point.changes.back().segment != now)
            point.changes.push_back({now, point.value, {}});
        point.changes.back().after = value;
        // A stroke that has put a sample back where it was has not changed it.
        if (point.changes.back().after == point.changes.back().before) point.changes.pop_back();
        point.value = value;
    }

    std::int32_t half_;
    std::int32_t side_;
    double voxel_;
    SampleBlock block_;
    std::vector<float> ground_;
    std::vector<Point> points_;
    std::vector<Segment> segments_;
    bool is_open_ = false;
};

// An edit of up to twelve voxels, within so many units of the middle.
inline Edit random_edit(Random& random, double reach, std::uint32_t stroke, double voxel = 1) {
    Edit edit;
    edit.kind = static_cast<EditKind>(random.integer(0, 4));
    edit.shape = static_cast<BrushShape>(random.integer(0, 2));
    edit.stroke = stroke;
    edit.editor = static_cast<std::uint16_t>(stroke % 2);
    edit.at = random.position(reach);
    const auto number = [&](double low, double high) { return static_cast<float>(random.real(low, high)); };
    const auto length = [&](double low, double high) { return number(low * voxel, high * voxel); };
    edit.extent = {length(0.5, 4), length(0.5, 4), length(0.5, 4)};
    edit.normal = {number(-1, 1), number(0.5, 1), number(-1, 1)};
    edit.radius = length(0.5, 4);
    edit.strength = random.integer(0, 1) == 0 ? 1 : number(0, 1);
    edit.falloff = random.integer(0, 1) == 0 ? 0 : length(0, 3);
    edit.amount = length(-3, 3);
    return edit;
}

}  // namespace quarry::terrain::test_support
