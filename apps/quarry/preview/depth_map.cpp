#include "preview/depth_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace quarry::app::preview {

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
    std::vector<Texel> texels;
    for (const PlacedMesh& mesh : geometry.meshes) {
        if (!may_touch(mesh, first, last)) continue;
        texels.clear();
        for (const Vec& place : mesh.positions) texels.push_back(project(place));
        const std::vector<std::uint32_t>& indices = mesh.indices;
        for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
            draw_triangle(texels[indices[i]], texels[indices[i + 1]], texels[indices[i + 2]], first, last);
        }
    }
}

void DepthMap::draw_triangle(const Texel& a, const Texel& b, const Texel& c, int first, int last) {
    const auto [low_column, high_column] = std::minmax({a.column, b.column, c.column});
    const auto [low_row, high_row] = std::minmax({a.row, b.row, c.row});
    const float most = static_cast<float>(size_);
    // Texel centres lie at halves.
    const int left = rounded_up(std::clamp(low_column - 0.5F, 0.0F, most));
    const int right = rounded_down(std::clamp(high_column - 0.5F, -1.0F, most - 1));
    const int top = std::max(first, rounded_up(std::clamp(low_row - 0.5F, 0.0F, most)));
    const int bottom = std::min(last - 1, rounded_down(std::clamp(high_row - 0.5F, -1.0F, most - 1)));
    if (left > right || top > bottom) return;
    const float area = (b.column - a.column) * (c.row - a.row) - (c.column - a.column) * (b.row - a.row);
    if (area == 0) return;
    const float per_area = 1 / area;
    for (int row = top; row <= bottom; ++row) {
        const float y = static_cast<float>(row) + 0.5F;
        for (int column = left; column <= right; ++column) {
            const float x = static_cast<float>(column) + 0.5F;
            const float of_b = ((x - a.column) * (c.row - a.row) - (c.column - a.column) * (y - a.row)) * per_area;
            const float of_c = ((b.column - a.column) * (y - a.row) - (x - a.column) * (b.row - a.row)) * per_area;
            if (of_b < 0 || of_c < 0 || of_b + of_c > 1) continue;
            float& depth = depths_[index(column, row)];
            depth = std::max(depth, a.depth + of_b * (b.depth - a.depth) + of_c * (c.depth - a.depth));
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
