#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/process/handler.hpp"

// The handlers that every `quarry worker` has, with what they take and answer. Each is an ordinary function, too: call
// it in place to have the same answer without a worker.
namespace quarry::process {

// Adds them all to a registry. echo: answers its payload. ping: answers nothing. compute_heavy, path_grid,
// distance_batch, collision_predict: below.
QUARRY_API void add_builtin_handlers(Registry& registry);

// compute_heavy: two uint32 (iterations, elements) in, one uint32 out. About two microseconds with 10 and 50.
QUARRY_API std::uint32_t compute_heavy(std::uint32_t iterations, std::uint32_t elements);

// A cell of a CostGrid.
struct GridPoint {
    std::int32_t x = 0;  // column, from 0
    std::int32_t y = 0;  // row, from 0
    bool operator==(const GridPoint&) const = default;
};

// What it costs to enter each cell, row by row; 0 and less: no way through.
struct CostGrid {
    std::int32_t width = 0;    // columns
    std::int32_t height = 0;   // rows
    std::vector<float> costs;  // width * height of them

    // What it costs to enter a cell that is inside.
    float cost(GridPoint at) const {
        return costs[static_cast<std::size_t>(at.y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(at.x)];
    }
    // Whether there is such a cell.
    bool contains(GridPoint at) const { return at.x >= 0 && at.y >= 0 && at.x < width && at.y < height; }
};

// A way through a CostGrid.
struct GridPath {
    float cost = -1;                // of all cells entered; -1: there is no way
    std::vector<GridPoint> points;  // from start to goal
};

// path_grid: the cheapest way between two cells, by A* over four neighbours. The grid is broadcast under kPathGridKey
// once, as encode_grid makes it; a job has two GridPoint and answers as decode_path reads it.
inline constexpr const char* kPathGridKey = "path_grid";
QUARRY_API GridPath find_path(const CostGrid& grid, GridPoint start, GridPoint goal);
QUARRY_API std::vector<std::byte> encode_grid(const CostGrid& grid);
QUARRY_API CostGrid decode_grid(std::span<const std::byte> bytes);
QUARRY_API GridPath decode_path(std::span<const std::byte> bytes);

// A place or a direction in space, in the caller's units.
struct Point3 {
    float x = 0;  // along the first axis
    float y = 0;  // along the second
    float z = 0;  // along the third
};

// The nearest of several points.
struct Nearest {
    std::uint32_t index = 0;                                  // its place among the others
    float distance = std::numeric_limits<float>::infinity();  // how far away it is; infinity: there are no others
};

// distance_batch: for each of n points the nearest of m others. A job is uint32 n, uint32 m, n Point3, m Point3; it
// answers n Nearest.
QUARRY_API std::vector<Nearest> nearest_points(std::span<const Point3> points, std::span<const Point3> others);
QUARRY_API std::vector<std::byte> encode_points(std::span<const Point3> points, std::span<const Point3> others);

// A ball that flies straight on.
struct MovingSphere {
    Point3 center;     // at time 0
    Point3 velocity;   // per unit of time
    float radius = 0;  // 0: a point
};
// An obstacle that stands still.
struct Triangle3 {
    Point3 a;  // its first corner,
    Point3 b;  // its second
    Point3 c;  // and its third
};
// When a sphere touches a triangle first.
struct Impact {
    float time = std::numeric_limits<float>::infinity();  // 0: they touch already; infinity: not within the span
    std::uint32_t triangle = 0;                           // the first that is touched
};

// collision_predict: when each sphere first touches one of the triangles, within a span of time. A job is float span,
// uint32 spheres, uint32 triangles, then these; it answers an Impact for each sphere.
QUARRY_API std::vector<Impact> predict_collisions(std::span<const MovingSphere> spheres,
                                                  std::span<const Triangle3> triangles, float span);
QUARRY_API std::vector<std::byte> encode_collisions(std::span<const MovingSphere> spheres,
                                                    std::span<const Triangle3> triangles, float span);

}  // namespace quarry::process
