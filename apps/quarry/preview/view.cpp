#include "preview/view.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "quarry/jobs/parallel_for.hpp"

namespace quarry::app::preview {
namespace {

// Nearer than this, relative to the distances in a scene of usual size, nothing is drawn.
constexpr float kNearest = 1e-4F;

// The line through two projected places, in homogeneous coordinates: at(x, y) is 0 on it. Exactly the negative of
// itself with the places exchanged, so two triangles that share an edge leave no gap.
struct Edge {
    double x;
    double y;
    double w;

    Edge(const Projected& a, const Projected& b)
        : x(double{a.y} * double{b.w} - double{b.y} * double{a.w}),
          y(double{a.w} * double{b.x} - double{b.w} * double{a.x}),
          w(double{a.x} * double{b.y} - double{b.x} * double{a.y}) {}

    double at(double column, double row) const noexcept { return x * column + y * row + w; }
};

struct Range {
    int first;
    int last;
};

// The samples, whose places are at halves, from `low` to `high`; within 0 .. count.
Range samples(float low, float high, int count) noexcept {
    const float most = static_cast<float>(count);
    return {rounded_up(std::clamp(low - 0.5F, 0.0F, most)), rounded_down(std::clamp(high - 0.5F, -1.0F, most - 1)) + 1};
}

struct Extent {
    float left = std::numeric_limits<float>::max();
    float right = std::numeric_limits<float>::lowest();
    float top = std::numeric_limits<float>::max();
    float bottom = std::numeric_limits<float>::lowest();

    void add(float x, float y) noexcept {
        left = std::min(left, x);
        right = std::max(right, x);
        top = std::min(top, y);
        bottom = std::max(bottom, y);
    }
};

// Of the part of a triangle that lies in front of the eye; empty where there is none.
Extent extent_of(const Projected& a, const Projected& b, const Projected& c) noexcept {
    Extent extent;
    const auto add_edge = [&](const Projected& from, const Projected& to) {
        if (from.w > kNearest) extent.add(from.x / from.w, from.y / from.w);
        if ((from.w > kNearest) == (to.w > kNearest)) return;
        const float share = (kNearest - from.w) / (to.w - from.w);
        extent.add(mix(from.x, to.x, share) / kNearest, mix(from.y, to.y, share) / kNearest);
    };
    add_edge(a, b);
    add_edge(b, c);
    add_edge(c, a);
    return extent;
}

void list_shown(const View& view, const std::vector<std::uint32_t>& indices, ProjectedMesh& mesh) {
    const auto tile = [](int sample) { return static_cast<std::uint16_t>(sample / Tile::kSize); };
    for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
        const Extent extent =
            extent_of(mesh.vertices[indices[i]], mesh.vertices[indices[i + 1]], mesh.vertices[indices[i + 2]]);
        const Range across = samples(extent.left, extent.right, view.columns());
        const Range down = samples(extent.top, extent.bottom, view.rows());
        if (across.first >= across.last || down.first >= down.last) continue;
        mesh.triangles.push_back({static_cast<std::uint32_t>(i / 3), tile(across.first),
                                  static_cast<std::uint16_t>(tile(across.last - 1) + 1), tile(down.first),
                                  static_cast<std::uint16_t>(tile(down.last - 1) + 1)});
    }
}

}  // namespace

View::View(Vec eye, Vec forward, float field_of_view, int columns, int rows)
    : eye_(eye),
      forward_(normalised(forward)),
      right_(normalised(cross(forward_, std::abs(forward_.y) < 0.999F ? Vec{0, 1, 0} : Vec{0, 0, -1}))),
      down_(cross(forward_, right_)),
      scale_(static_cast<float>(rows) * 0.5F / std::tan(field_of_view * 0.5F)),
      columns_(columns),
      rows_(rows) {}

View View::mirrored(float height) const {
    View view = *this;
    view.eye_.y = 2 * height - eye_.y;
    view.forward_.y = -forward_.y;
    view.right_.y = -right_.y;
    view.down_.y = -down_.y;
    return view;
}

View View::coarser(int by) const {
    View view = *this;
    view.columns_ /= by;
    view.rows_ /= by;
    view.scale_ /= static_cast<float>(by);
    return view;
}

Projected View::project(Vec place) const noexcept {
    const Vec from = place - eye_;
    const float w = dot(from, forward_);
    return {dot(from, right_) * scale_ + w * (static_cast<float>(columns_) * 0.5F),
            dot(from, down_) * scale_ + w * (static_cast<float>(rows_) * 0.5F), w};
}

Vec View::ray(float x, float y) const noexcept {
    return forward_ + right_ * ((x - static_cast<float>(columns_) * 0.5F) / scale_) +
           down_ * ((y - static_cast<float>(rows_) * 0.5F) / scale_);
}

std::vector<ProjectedMesh> project(Pool& pool, const View& view, const Geometry& geometry) {
    std::vector<ProjectedMesh> all(geometry.meshes.size());
    parallel_for(pool, std::size_t{0}, all.size(), [&](std::size_t i) {
        const PlacedMesh& placed = geometry.meshes[i];
        ProjectedMesh& mesh = all[i];
        constexpr float kFar = std::numeric_limits<float>::max();
        float left = kFar;
        float right = -kFar;
        float top = kFar;
        float bottom = -kFar;
        bool any_behind = false;
        bool any_before = false;
        mesh.vertices.reserve(placed.positions.size());
        for (const Vec& place : placed.positions) {
            const Projected p = view.project(place);
            mesh.vertices.push_back(p);
            if (p.w <= kNearest) {
                any_behind = true;
                continue;
            }
            any_before = true;
            left = std::min(left, p.x / p.w);
            right = std::max(right, p.x / p.w);
            top = std::min(top, p.y / p.w);
            bottom = std::max(bottom, p.y / p.w);
        }
        if (!any_before) return;
        if (any_behind) {
            left = top = -kFar;
            right = bottom = kFar;
        }
        const Range across = samples(left, right, view.columns());
        const Range down = samples(top, bottom, view.rows());
        mesh.left = across.first;
        mesh.right = across.last;
        mesh.top = down.first;
        mesh.bottom = down.last;
        if (mesh.is_visible()) list_shown(view, placed.indices, mesh);
    });
    return all;
}

Shares shares_at(const Projected& a, const Projected& b, const Projected& c, float x, float y) noexcept {
    const double of_a = Edge(b, c).at(double{x}, double{y});
    const double of_b = Edge(c, a).at(double{x}, double{y});
    const double of_c = Edge(a, b).at(double{x}, double{y});
    const double sum = of_a + of_b + of_c;
    if (sum == 0) return {1, 0, 0};
    return {static_cast<float>(of_a / sum), static_cast<float>(of_b / sum), static_cast<float>(of_c / sum)};
}

float distance_to_edge(const Projected& a, const Projected& b, const Projected& c, float x, float y) noexcept {
    const auto distance = [&](const Edge& edge) {
        const double slope = std::sqrt(edge.x * edge.x + edge.y * edge.y);
        return slope > 0 ? std::abs(edge.at(double{x}, double{y})) / slope : 0;
    };
    return static_cast<float>(std::min({distance(Edge(b, c)), distance(Edge(c, a)), distance(Edge(a, b))}));
}

void Tile::draw(const View& view, const Geometry& geometry, const std::vector<ProjectedMesh>& meshes, int x, int y,
                float lowest) {
    x_ = x;
    y_ = y;
    columns_ = std::min(kSize, view.columns() - x);
    rows_ = std::min(kSize, view.rows() - y);
    has_floor_ = lowest > std::numeric_limits<float>::lowest();
    if (has_floor_) {
        const Vec first = view.ray(0, 0);
        floor_ = {double{lowest} - double{view.eye().y}, double{first.y}, double{view.ray(1, 0).y - first.y},
                  double{view.ray(0, 1).y - first.y}};
    }
    seen_.assign(static_cast<std::size_t>(kSize) * kSize, Seen{});
    for (std::size_t m = 0; m < meshes.size(); ++m) {
        const ProjectedMesh& mesh = meshes[m];
        if (!mesh.overlaps(x_, y_, columns_, rows_)) continue;
        const std::vector<std::uint32_t>& indices = geometry.meshes[m].indices;
        for (const ShownTriangle& shown : mesh.triangles) {
            if (!shown.overlaps(x_ / kSize, y_ / kSize)) continue;
            const std::size_t i = 3 * static_cast<std::size_t>(shown.triangle);
            draw_triangle(mesh.vertices[indices[i]], mesh.vertices[indices[i + 1]], mesh.vertices[indices[i + 2]],
                          static_cast<std::uint32_t>(m), shown.triangle);
        }
    }
}

void Tile::draw_triangle(const Projected& a, const Projected& b, const Projected& c, std::uint32_t mesh,
                         std::uint32_t triangle) {
    const Extent extent = extent_of(a, b, c);
    const float left = static_cast<float>(x_);
    const Range across = samples(extent.left - left, extent.right - left, columns_);
    if (across.first >= across.last) return;
    const float top = static_cast<float>(y_);
    const Range down = samples(extent.top - top, extent.bottom - top, rows_);
    if (down.first >= down.last) return;
    const Edge of_a(b, c);
    const Edge of_b(c, a);
    const Edge of_c(a, b);
    const double volume = double{a.x} * of_a.x + double{a.y} * of_a.y + double{a.w} * of_a.w;
    if (volume == 0) return;
    // Both faces are drawn: a world that is cut off shows the inside of its surface.
    const double sign = volume > 0 ? 1 : -1;
    for (int row = down.first; row < down.last; ++row) {
        const double sample_y = row + y_ + 0.5;
        for (int column = across.first; column < across.last; ++column) {
            const double sample_x = column + x_ + 0.5;
            const double share_a = sign * of_a.at(sample_x, sample_y);
            const double share_b = sign * of_b.at(sample_x, sample_y);
            const double share_c = sign * of_c.at(sample_x, sample_y);
            if (share_a < 0 || share_b < 0 || share_c < 0) continue;
            const double sum = share_a + share_b + share_c;
            if (!(sum > 0)) continue;
            const float distance = static_cast<float>(sign * volume / sum);
            Seen& seen = seen_[index(column, row)];
            if (!(distance > kNearest && distance < seen.distance)) continue;
            if (has_floor_) {
                const double slope = floor_.slope + floor_.slope_right * sample_x + floor_.slope_down * sample_y;
                if (double{distance} * slope < floor_.room) continue;
            }
            seen = {mesh, triangle, distance};
        }
    }
}

}  // namespace quarry::app::preview
