#include "preview/depth_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace quarry::app::preview {
namespace {

// A square as wide as the diagonal of a cell holds a corner of one, however the cells are turned: the vertices of such
// meshes leave no texel out, so there is no need to draw their triangles.
constexpr float kCellsPerTexel = 1.42F;

}  // namespace

DepthMap::DepthMap(Vec towards, Vec centre, float half_width, int size)
    : towards_(normalised(towards)),
      across_(normalised(cross(std::abs(towards_.y) < 0.9F ? Vec{0, 1, 0} : Vec{1, 0, 0}, towards_))),
      down_(cross(across_, towards_)),
      centre_(centre),
      texel_(2 * half_width / static_cast<float>(size)),
      size_(size),
      depths_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), kNothing) {}

DepthMap::Texel DepthMap::project(Vec place) const noexcept {
    const Vec from = place - centre_;
    const float half = static_cast<float>(size_) * 0.5F;
    return {dot(from, across_) / texel_ + half, dot(from, down_) / texel_ + half, dot(from, towards_)};
}

Vec DepthMap::place(int column, int row) const noexcept {
    const float half = static_cast<float>(size_) * 0.5F;
    return centre_ + across_ * ((static_cast<float>(column) + 0.5F - half) * texel_) +
           down_ * ((static_cast<float>(row) + 0.5F - half) * texel_);
}

bool DepthMap::may_touch(const PlacedMesh& mesh, int first, int last) const noexcept {
    const Texel middle = project((mesh.low + mesh.high) * 0.5F);
    const Vec half = (mesh.high - mesh.low) * 0.5F;
    const auto reach = [&](Vec axis) {
        return (std::abs(axis.x) * half.x + std::abs(axis.y) * half.y + std::abs(axis.z) * half.z) / texel_ + 1;
    };
    const float wide = reach(across_);
    const float high = reach(down_);
    return middle.column + wide >= 0 && middle.column - wide <= static_cast<float>(size_) &&
           middle.row + high >= static_cast<float>(first) && middle.row - high <= static_cast<float>(last);
}

void DepthMap::draw(const Geometry& geometry, int first, int last) {
    const float most = static_cast<float>(size_);
    const auto centre = [&](float place) { return rounded_up(std::clamp(place - 0.5F, 0.0F, most)); };
    std::vector<Corner> corners;
    for (const PlacedMesh& mesh : geometry.meshes) {
        if (!may_touch(mesh, first, last)) continue;
        if (mesh.cell * kCellsPerTexel <= texel_) {
            for (const Vec& place : mesh.positions) draw_point(project(place), first, last);
            continue;
        }
        corners.clear();
        for (const Vec& place : mesh.positions) {
            const Texel texel = project(place);
            corners.push_back({texel, centre(texel.column), centre(texel.row)});
        }
        const std::vector<std::uint32_t>& indices = mesh.indices;
        for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
            draw_triangle(corners[indices[i]], corners[indices[i + 1]], corners[indices[i + 2]], first, last);
        }
    }
}

void DepthMap::draw_point(const Texel& texel, int first, int last) {
    if (!(texel.column >= 0 && texel.column < static_cast<float>(size_))) return;
    if (!(texel.row >= static_cast<float>(first) && texel.row < static_cast<float>(last))) return;
    float& depth = depths_[index(static_cast<int>(texel.column), static_cast<int>(texel.row))];
    depth = std::max(depth, texel.depth);
}

void DepthMap::draw_triangle(const Corner& corner_a, const Corner& corner_b, const Corner& corner_c, int first,
                             int last) {
    // Most triangles lie between two rows or columns of centres.
    const int left = std::min(corner_a.column, std::min(corner_b.column, corner_c.column));
    const int right = std::max(corner_a.column, std::max(corner_b.column, corner_c.column));
    if (left == right) return;
    const int top = std::max(first, std::min(corner_a.row, std::min(corner_b.row, corner_c.row)));
    const int bottom = std::min(last, std::max(corner_a.row, std::max(corner_b.row, corner_c.row)));
    if (top >= bottom) return;
    const Texel& a = corner_a.at;
    const Texel& b = corner_b.at;
    const Texel& c = corner_c.at;
    const float area = (b.column - a.column) * (c.row - a.row) - (c.column - a.column) * (b.row - a.row);
    if (area == 0) return;
    const float per_area = 1 / area;
    // The shares of b and c, and the depth, change evenly from texel to texel.
    const float b_right = (c.row - a.row) * per_area;
    const float b_down = (a.column - c.column) * per_area;
    const float c_right = (a.row - b.row) * per_area;
    const float c_down = (b.column - a.column) * per_area;
    const float of_b = b.depth - a.depth;
    const float of_c = c.depth - a.depth;
    const float x = static_cast<float>(left) + 0.5F - a.column;
    for (int row = top; row < bottom; ++row) {
        const float y = static_cast<float>(row) + 0.5F - a.row;
        float share_b = x * b_right + y * b_down;
        float share_c = x * c_right + y * c_down;
        float* depth = &depths_[index(left, row)];
        for (int column = left; column < right; ++column, ++depth) {
            if (share_b >= 0 && share_c >= 0 && share_b + share_c <= 1) {
                *depth = std::max(*depth, a.depth + share_b * of_b + share_c * of_c);
            }
            share_b += b_right;
            share_c += c_right;
        }
    }
}

bool DepthMap::covers(Vec place, float margin_texels) const noexcept {
    const Texel texel = project(place);
    const float end = static_cast<float>(size_) - margin_texels;
    return texel.column >= margin_texels && texel.row >= margin_texels && texel.column <= end && texel.row <= end;
}

float DepthMap::light_at(Vec place, float bias) const noexcept {
    const Texel texel = project(place);
    const float x = texel.column - 0.5F;
    const float y = texel.row - 0.5F;
    const float end = static_cast<float>(size_) - 1;
    if (!(x >= 0 && y >= 0 && x < end && y < end)) return 1;
    const int column = static_cast<int>(x);
    const int row = static_cast<int>(y);
    const float reached = texel.depth + bias;
    const auto lit = [&](int along, int below) { return depth(column + along, row + below) <= reached ? 1.0F : 0.0F; };
    const float right = x - static_cast<float>(column);
    const float upper = mix(lit(0, 0), lit(1, 0), right);
    const float lower = mix(lit(0, 1), lit(1, 1), right);
    return mix(upper, lower, y - static_cast<float>(row));
}

float DepthMap::soft_light_at(Vec place, float bias) const noexcept {
    const Texel texel = project(place);
    const float x = texel.column - 0.5F;
    const float y = texel.row - 0.5F;
    const float end = static_cast<float>(size_) - 2;
    if (!(x >= 1 && y >= 1 && x < end && y < end)) return 1;
    const int column = static_cast<int>(x);
    const int row = static_cast<int>(y);
    const float right = x - static_cast<float>(column);
    const float below = y - static_cast<float>(row);
    const float reached = texel.depth + bias;
    // A box three texels wide around the place: whole texels in the middle, parts of the outer ones.
    const std::array<float, 4> wide{1 - right, 1, 1, right};
    const std::array<float, 4> high{1 - below, 1, 1, below};
    float sum = 0;
    for (int j = 0; j < 4; ++j) {
        float line = 0;
        for (int i = 0; i < 4; ++i) {
            if (depth(column + i - 1, row + j - 1) <= reached) line += wide[static_cast<std::size_t>(i)];
        }
        sum += line * high[static_cast<std::size_t>(j)];
    }
    return sum / 9;
}

}  // namespace quarry::app::preview
