#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "preview/geometry.hpp"
#include "preview/vector.hpp"

namespace quarry::app::preview {

// A place on the picture times its distance along the view, as homogeneous coordinates; all in samples.
struct Projected {
    float x = 0;
    float y = 0;
    float w = 0;
};

// Perspective. Columns run right, rows down.
class View {
  public:
    // field_of_view: of the height, in radians.
    View(Vec eye, Vec forward, float field_of_view, int columns, int rows);

    // The same picture as it is seen in a horizontal mirror at that height: each sample shows what the mirror would
    // show there.
    View mirrored(float height) const;
    // The same picture with one sample where this one has `by` along each axis.
    View coarser(int by) const;

    int columns() const noexcept { return columns_; }
    int rows() const noexcept { return rows_; }
    Vec eye() const noexcept { return eye_; }
    Vec forward() const noexcept { return forward_; }
    // How many world units a sample is wide, for each world unit of distance.
    float spread() const noexcept { return 1 / scale_; }

    Projected project(Vec place) const noexcept;
    // From the eye through a place of the picture; not normalised, 1 along the view.
    Vec ray(float x, float y) const noexcept;

  private:
    Vec eye_;
    Vec forward_;
    Vec right_;
    Vec down_;
    float scale_;
    int columns_;
    int rows_;
};

// A triangle that covers a sample, and the tiles that it may cover: first <= i < last.
struct ShownTriangle {
    std::uint32_t triangle;
    std::uint16_t left;
    std::uint16_t right;
    std::uint16_t top;
    std::uint16_t bottom;

    bool overlaps(int column, int row) const noexcept {
        return left <= column && column < right && top <= row && row < bottom;
    }
};

// A mesh on the picture.
struct ProjectedMesh {
    std::vector<Projected> vertices;
    // Most triangles of a wide view cover no sample at all; those are left out.
    std::vector<ShownTriangle> triangles;
    // Samples that it may cover: first <= i < last.
    int left = 0;
    int right = 0;
    int top = 0;
    int bottom = 0;

    bool overlaps(int x, int y, int wide, int high) const noexcept {
        return left < x + wide && right > x && top < y + high && bottom > y;
    }
    bool is_visible() const noexcept { return left < right && top < bottom; }
};

std::vector<ProjectedMesh> project(Pool& pool, const View& view, const Geometry& geometry);

// What a sample of the picture shows.
struct Seen {
    static constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t mesh = kNothing;
    std::uint32_t triangle = 0;
    float distance = std::numeric_limits<float>::max();  // along the view

    bool is_sky() const noexcept { return mesh == kNothing; }
};

// The shares of a triangle's corners in what a sample shows. They sum to 1.
struct Shares {
    float a = 0;
    float b = 0;
    float c = 0;
};

Shares shares_at(const Projected& a, const Projected& b, const Projected& c, float x, float y) noexcept;

// How many samples a place of the picture lies away from the nearest of the triangle's edges.
float distance_to_edge(const Projected& a, const Projected& b, const Projected& c, float x, float y) noexcept;

// A rectangle of samples of a picture.
class Tile {
  public:
    static constexpr int kSize = 128;

    // Makes it the rectangle from there on (a multiple of kSize), at most kSize wide and high, and draws what it shows
    // of all that is not below a height.
    void draw(const View& view, const Geometry& geometry, const std::vector<ProjectedMesh>& meshes, int x, int y,
              float lowest = std::numeric_limits<float>::lowest());

    int x() const noexcept { return x_; }
    int y() const noexcept { return y_; }
    int columns() const noexcept { return columns_; }
    int rows() const noexcept { return rows_; }
    const Seen& at(int column, int row) const noexcept { return seen_[index(column, row)]; }

  private:
    std::size_t index(int column, int row) const noexcept {
        return static_cast<std::size_t>(row) * kSize + static_cast<std::size_t>(column);
    }
    void draw_triangle(const Projected& a, const Projected& b, const Projected& c, std::uint32_t mesh,
                       std::uint32_t triangle);

    // Where the ray of a sample has the height that is the lowest to be drawn: at a distance of room / slope.
    struct Floor {
        double room = 0;  // between the lowest height and the eye's
        double slope = 0;
        double slope_right = 0;
        double slope_down = 0;
    };

    int x_ = 0;
    int y_ = 0;
    int columns_ = 0;
    int rows_ = 0;
    Floor floor_;
    bool has_floor_ = false;
    std::vector<Seen> seen_;
};

// How many tiles a picture has, and where one begins.
struct TileGrid {
    int across = 0;
    int down = 0;

    explicit TileGrid(const View& view)
        : across((view.columns() + Tile::kSize - 1) / Tile::kSize),
          down((view.rows() + Tile::kSize - 1) / Tile::kSize) {}
    int count() const noexcept { return across * down; }
    int x(int tile) const noexcept { return tile % across * Tile::kSize; }
    int y(int tile) const noexcept { return tile / across * Tile::kSize; }
};

}  // namespace quarry::app::preview
