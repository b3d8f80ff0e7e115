#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "preview/geometry.hpp"
#include "preview/vector.hpp"

namespace quarry::app::preview {

// What a far light sees: of each texel, how far towards the light the nearest surface lies. Parallel projection.
class DepthMap {
  public:
    // Square, around the centre, half_width world units to each side.
    DepthMap(Vec towards, Vec centre, float half_width, int size);

    int size() const noexcept { return size_; }
    float texel() const noexcept { return texel_; }

    // Draws what falls on rows first <= row < last. Different rows may be drawn at the same time.
    void draw(const Geometry& geometry, int first, int last);

    // Whether the place, and texels around it, lie within the map.
    bool covers(Vec place, float margin_texels = 2) const noexcept;
    // Share of the light that reaches the place, by the four texels around it. Outside the map: all.
    float light_at(Vec place, float bias) const noexcept;
    // The same by sixteen texels, so that edges of shadows are soft.
    float soft_light_at(Vec place, float bias) const noexcept;
    // Along the direction, the nearest surface of the texel; kNothing where there is none.
    float depth(int column, int row) const noexcept { return depths_[index(column, row)]; }
    Vec place(int column, int row) const noexcept;

    static constexpr float kNothing = std::numeric_limits<float>::lowest();

  private:
    struct Texel {
        float column;
        float row;
        float depth;
    };
    // Of a vertex that is drawn: the first texel centres, which lie at halves, that are not before it.
    struct Corner {
        Texel at;
        int column;
        int row;
    };

    std::size_t index(int column, int row) const noexcept {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(column);
    }
    Texel project(Vec place) const noexcept;
    bool may_touch(const PlacedMesh& mesh, int first, int last) const noexcept;
    // For meshes with cells so small that their vertices leave no texel out.
    void draw_point(const Texel& texel, int first, int last);
    void draw_triangle(const Corner& corner_a, const Corner& corner_b, const Corner& corner_c, int first, int last);

    Vec towards_;
    Vec across_;
    Vec down_;
    Vec centre_;
    float texel_;
    int size_;
    std::vector<float> depths_;
};

}  // namespace quarry::app::preview
