#include "terrain/transvoxel/triangulation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>

namespace quarry::terrain::transvoxel {
namespace {

// How sharp an angle is: cos * |cos| of it as an exact fraction, which grows as the angle shrinks. Whole numbers, so
// that every machine prefers the same triangles.
struct Sharpness {
    std::int64_t numerator = -1;
    std::int64_t denominator = 1;

    friend bool operator<(const Sharpness& a, const Sharpness& b) {
        return a.numerator * b.denominator < b.numerator * a.denominator;
    }
};

Point difference(Point a, Point b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

std::int64_t dot(Point a, Point b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

Sharpness angle_at(Point tip, Point a, Point b) {
    const Point to_a = difference(a, tip);
    const Point to_b = difference(b, tip);
    const std::int64_t cosine = dot(to_a, to_b);
    return {cosine * (cosine < 0 ? -cosine : cosine), dot(to_a, to_a) * dot(to_b, to_b)};
}

Sharpness sharpest_angle(Point a, Point b, Point c) {
    return std::max({angle_at(a, b, c), angle_at(b, c, a), angle_at(c, a, b)});
}

std::int64_t squared_distance(Point a, Point b) {
    return dot(difference(a, b), difference(a, b));
}

// The polygon between two vertices of a loop, cut into triangles: as few as can be flat, then so that its sharpest
// angle is as blunt as can be. A triangle is flat when its corners lie in faces of one plane: a surface that passes
// through that plane puts them in line.
struct Cut {
    int flat = 0;
    Sharpness sharpest;
    std::size_t middle = 0;  // the third vertex of the triangle on the polygon's chord

    friend bool operator<(const Cut& a, const Cut& b) {
        return a.flat != b.flat ? a.flat < b.flat : a.sharpest < b.sharpest;
    }
};

class DiscFiller {
  public:
    DiscFiller(const CellShape& shape, const Loop& loop)
        : loop_(loop), faces_of_(shape.faces_of_edges()), coplanar_faces_(shape.coplanar_faces) {
        for (const std::uint8_t edge : loop) middles_.push_back(shape.middle(edge));
    }

    Triangles fill() {
        const std::size_t size = loop_.size();
        cuts_.assign(size * size, std::nullopt);
        for (std::size_t length = 1; length < size; ++length) {
            for (std::size_t first = 0; first + length < size; ++first) find_cut(first, first + length);
        }
        if (!cut(0, size - 1)) throw std::logic_error("a loop of a Transvoxel case has no valid triangulation");
        Triangles triangles;
        collect(0, size - 1, triangles);
        return triangles;
    }

  private:
    std::optional<Cut>& cut(std::size_t first, std::size_t last) { return cuts_[first * loop_.size() + last]; }

    bool is_side(std::size_t first, std::size_t last) const {
        return last == first + 1 || (first == 0 && last + 1 == loop_.size());
    }

    bool is_flat(std::size_t a, std::size_t b, std::size_t c) const {
        const auto in_plane = [&](std::size_t i) { return (faces_of_[loop_[i]] & coplanar_faces_) != 0; };
        return in_plane(a) && in_plane(b) && in_plane(c);
    }

    void find_cut(std::size_t first, std::size_t last) {
        if (!is_side(first, last) && (faces_of_[loop_[first]] & faces_of_[loop_[last]]) != 0) return;
        std::optional<Cut>& best = cut(first, last);
        if (last == first + 1) {
            best = Cut{};
            return;
        }
        for (std::size_t middle = first + 1; middle < last; ++middle) {
            const std::optional<Cut>& before = cut(first, middle);
            const std::optional<Cut>& after = cut(middle, last);
            if (!before || !after) continue;
            const Sharpness own = sharpest_angle(middles_[first], middles_[middle], middles_[last]);
            const int flat = before->flat + after->flat + (is_flat(first, middle, last) ? 1 : 0);
            const Cut found{flat, std::max({before->sharpest, after->sharpest, own}), middle};
            if (!best || found < *best) best = found;
        }
    }

    void collect(std::size_t first, std::size_t last, Triangles& triangles) {
        if (last == first + 1) return;
        const std::size_t middle = cut(first, last)->middle;
        triangles.insert(triangles.end(), {loop_[first], loop_[middle], loop_[last]});
        collect(first, middle, triangles);
        collect(middle, last, triangles);
    }

    const Loop& loop_;
    std::vector<std::uint32_t> faces_of_;
    std::uint32_t coplanar_faces_;
    std::vector<Point> middles_;
    std::vector<std::optional<Cut>> cuts_;
};

// On each face the surface runs from where the walk around it enters an inside run to where it leaves that run.
void add_segments(const CellShape& shape, const std::vector<std::uint8_t>& cycle, std::uint32_t inside,
                  std::vector<int>& next) {
    const auto is_inside = [&](std::size_t i) { return (inside >> shape.signs[cycle[i % cycle.size()]] & 1) != 0; };
    const auto crossing = [&](std::size_t i) {
        return shape.edge_between(cycle[i % cycle.size()], cycle[(i + 1) % cycle.size()]);
    };
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        if (is_inside(i) || !is_inside(i + 1)) continue;
        std::size_t leave = i + 1;
        while (is_inside(leave + 1)) ++leave;
        next[static_cast<std::size_t>(crossing(i))] = crossing(leave);
    }
}

}  // namespace

std::vector<Loop> find_loops(const CellShape& shape, std::uint32_t inside) {
    std::vector<int> next(shape.edges.size(), -1);
    for (const std::vector<std::uint8_t>& cycle : shape.faces) add_segments(shape, cycle, inside, next);
    std::vector<Loop> loops;
    std::vector<bool> seen(shape.edges.size(), false);
    for (std::size_t start = 0; start < shape.edges.size(); ++start) {
        if (next[start] < 0 || seen[start]) continue;
        Loop& loop = loops.emplace_back();
        for (std::size_t edge = start; !seen[edge]; edge = static_cast<std::size_t>(next[edge])) {
            seen[edge] = true;
            loop.push_back(static_cast<std::uint8_t>(edge));
        }
    }
    return loops;
}

Triangles fill_disc(const CellShape& shape, const Loop& loop) {
    return DiscFiller(shape, loop).fill();
}

Triangles fill_ring(const CellShape& shape, const Loop& outer, const Loop& inner) {
    const auto nearest = [&](std::uint8_t edge) {
        const auto distance = [&](std::uint8_t other) {
            return squared_distance(shape.middle(edge), shape.middle(other));
        };
        return std::min_element(inner.begin(), inner.end(),
                                [&](std::uint8_t a, std::uint8_t b) { return distance(a) < distance(b); });
    };
    Triangles triangles;
    for (std::size_t i = 0; i < outer.size(); ++i) {
        const std::uint8_t from = outer[i];
        const std::uint8_t to = outer[(i + 1) % outer.size()];
        const auto tip = nearest(from);
        triangles.insert(triangles.end(), {from, to, *tip});
        if (nearest(to) == tip) continue;
        // The inner loop runs the other way, so its vertex near `to` comes before the one near `from`.
        triangles.insert(triangles.end(), {to, *nearest(to), *tip});
    }
    return triangles;
}

}  // namespace quarry::terrain::transvoxel
