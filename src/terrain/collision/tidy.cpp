#include "terrain/collision/tidy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "quarry/terrain/collision_patch.hpp"

namespace quarry::terrain::collision {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

struct Arrow {
    double x;
    double y;
    double z;
};

Arrow from_to(const Vector3& a, const Vector3& b) noexcept {
    return {static_cast<double>(b.x) - a.x, static_cast<double>(b.y) - a.y, static_cast<double>(b.z) - a.z};
}
double dot(const Arrow& a, const Arrow& b) noexcept {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
Arrow cross(const Arrow& a, const Arrow& b) noexcept {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
double square_between(const Vector3& a, const Vector3& b) noexcept {
    const Arrow arrow = from_to(a, b);
    return dot(arrow, arrow);
}

using Corners = std::array<std::uint32_t, 3>;

bool has_twins(const Corners& c) noexcept {
    return c[0] == c[1] || c[1] == c[2] || c[0] == c[2];
}

// A mesh in which vertices and edges can be exchanged. Each vertex has a list of the corners of triangles it is in.
class Web {
  public:
    explicit Web(Surface& surface) : surface_(surface), first_(surface.positions.size(), kNone) {
        next_.reserve(surface.indices.size());
        for (std::size_t i = 0; i + 2 < surface.indices.size(); i += 3) {
            alive_.push_back(1);
            for (std::size_t k = 0; k < 3; ++k) link(static_cast<std::uint32_t>(i + k));
        }
    }

    // All triangles that are too low, in their order, then those that this makes.
    std::size_t remove_slivers() {
        std::size_t left = 0;
        for (std::uint32_t t = 0; t < alive_.size(); ++t) {
            if (is_low(t)) to_do_.push_back(t);
        }
        // Each merge takes a vertex away; exchanges are counted, so that two of them cannot undo each other for ever.
        exchanges_ = 4 * alive_.size() + 64;
        for (std::size_t i = 0; i < to_do_.size(); ++i) {  // NOLINT(modernize-loop-convert): the list grows
            const std::uint32_t t = to_do_[i];
            if (alive_[t] == 0 || !is_low(t)) continue;
            if (!improve(t)) ++left;
        }
        compact();
        return left;
    }

  private:
    struct Merge {
        std::uint32_t from = kNone;
        std::uint32_t to = kNone;
        double square = 0;
        bool folds = true;

        bool is_better_than(const Merge& other) const noexcept {
            if (other.from == kNone) return true;
            return folds != other.folds ? !folds : square < other.square;
        }
    };

    const Vector3& at(std::uint32_t vertex) const noexcept { return surface_.positions[vertex]; }
    Corners corners(std::uint32_t t) const noexcept {
        const std::uint32_t* const i = &surface_.indices[std::size_t{3} * t];
        return {i[0], i[1], i[2]};
    }
    double height(const Corners& c) const noexcept { return height_of(at(c[0]), at(c[1]), at(c[2])); }
    bool is_low(std::uint32_t t) const noexcept { return height(corners(t)) < kLeastPatchHeight; }
    Arrow normal(const Corners& c) const noexcept {
        return cross(from_to(at(c[0]), at(c[1])), from_to(at(c[0]), at(c[2])));
    }

    void link(std::uint32_t corner) {
        const std::uint32_t vertex = surface_.indices[corner];
        if (next_.size() <= corner) next_.resize(corner + std::size_t{1}, kNone);
        next_[corner] = std::exchange(first_[vertex], corner);
    }
    void add(const Corners& c) {
        const auto first = static_cast<std::uint32_t>(surface_.indices.size());
        surface_.indices.insert(surface_.indices.end(), c.begin(), c.end());
        alive_.push_back(1);
        for (std::uint32_t k = 0; k < 3; ++k) link(first + k);
        if (is_low(first / 3)) to_do_.push_back(first / 3);
    }

    // Calls visit(t) for the living triangles at a vertex.
    template <class Visit>
    void around(std::uint32_t vertex, Visit visit) const {
        for (std::uint32_t corner = first_[vertex]; corner != kNone; corner = next_[corner]) {
            if (alive_[corner / 3] != 0 && surface_.indices[corner] == vertex) visit(corner / 3);
        }
    }

    // Flat ones, whose apex lies beside the middle of the longest side, are best cured by the other diagonal; needles
    // by making their shortest side a point.
    bool improve(std::uint32_t t) {
        Corners c = corners(t);
        if (has_twins(c)) {
            alive_[t] = 0;
            return true;
        }
        const auto longest_first = [&] {
            std::array<double, 3> sides{};
            for (std::size_t k = 0; k < 3; ++k) sides[k] = square_between(at(c[k]), at(c[(k + 1) % 3]));
            std::rotate(c.begin(), std::max_element(sides.begin(), sides.end()) - sides.begin() + c.begin(), c.end());
        };
        longest_first();
        const double nearest = std::min(square_between(at(c[2]), at(c[0])), square_between(at(c[2]), at(c[1])));
        constexpr double kNeedle = 0.05 * 0.05;
        if (nearest > kNeedle && exchange_diagonal(t, c)) return true;
        const Merge merge = best_merge(c);
        if (merge.from != kNone && (!merge.folds || nearest <= kNeedle)) {
            make_one(merge.from, merge.to);
            return true;
        }
        if (exchange_diagonal(t, c)) return true;
        if (merge.from == kNone) return false;
        make_one(merge.from, merge.to);
        return true;
    }

    // c[0] to c[1] is the side that goes.
    bool exchange_diagonal(std::uint32_t t, const Corners& c) {
        if (exchanges_ == 0) return false;
        std::uint32_t other = kNone;
        std::uint32_t apex = kNone;
        std::size_t along = 0;
        around(c[0], [&](std::uint32_t each) {
            const Corners e = corners(each);
            for (std::size_t k = 0; k < 3; ++k) {
                const std::uint32_t a = e[k];
                const std::uint32_t b = e[(k + 1) % 3];
                if ((a == c[0] && b == c[1]) || (a == c[1] && b == c[0])) ++along;
                if (a == c[1] && b == c[0]) {
                    other = each;
                    apex = e[(k + 2) % 3];
                }
            }
        });
        if (along != 2 || other == kNone || other == t || apex == c[2]) return false;
        const Corners one{c[2], c[0], apex};
        const Corners two{c[1], c[2], apex};
        if (std::min(height(one), height(two)) <= std::min(height(c), height(corners(other)))) return false;
        // Neither may look the other way than the larger of what they replace.
        const Arrow before = normal(corners(other));
        if (dot(before, normal(one)) < 0 || dot(before, normal(two)) < 0) return false;
        if (has_edge(c[2], apex)) return false;
        --exchanges_;
        alive_[t] = 0;
        alive_[other] = 0;
        add(one);
        add(two);
        return true;
    }

    bool has_edge(std::uint32_t a, std::uint32_t b) const {
        bool found = false;
        around(a, [&](std::uint32_t each) {
            const Corners e = corners(each);
            found = found || e[0] == b || e[1] == b || e[2] == b;
        });
        return found;
    }

    Merge best_merge(const Corners& c) const {
        Merge best;
        for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t step = 1; step < 3; ++step) {
                const std::uint32_t from = c[k];
                const std::uint32_t to = c[(k + step) % 3];
                if (surface_.fixed[from] != 0) continue;
                const Merge merge{from, to, square_between(at(from), at(to)), folds(from, to)};
                if (merge.is_better_than(best)) best = merge;
            }
        }
        return best;
    }

    // Whether a triangle would be turned over.
    bool folds(std::uint32_t from, std::uint32_t to) const {
        bool does = false;
        around(from, [&](std::uint32_t each) {
            const Corners before = corners(each);
            Corners after = before;
            std::replace(after.begin(), after.end(), from, to);
            if (has_twins(after) || height(before) < kLeastPatchHeight) return;
            does = does || dot(normal(before), normal(after)) <= 0;
        });
        return does;
    }

    void make_one(std::uint32_t from, std::uint32_t to) {
        std::uint32_t corner = std::exchange(first_[from], kNone);
        while (corner != kNone) {
            const std::uint32_t following = next_[corner];
            const std::uint32_t t = corner / 3;
            if (alive_[t] != 0) {
                surface_.indices[corner] = to;
                link(corner);
                if (has_twins(corners(t))) {
                    alive_[t] = 0;
                } else if (is_low(t)) {
                    to_do_.push_back(t);
                }
            }
            corner = following;
        }
        remove_opposites(to);
    }

    // Two triangles with the same corners that look opposite ways enclose nothing.
    void remove_opposites(std::uint32_t vertex) {
        near_.clear();
        around(vertex, [&](std::uint32_t t) { near_.push_back(t); });
        for (std::size_t i = 0; i < near_.size(); ++i) {
            for (std::size_t j = i + 1; j < near_.size(); ++j) {
                if (alive_[near_[i]] == 0 || alive_[near_[j]] == 0) continue;
                if (!are_opposite(corners(near_[i]), corners(near_[j]))) continue;
                alive_[near_[i]] = 0;
                alive_[near_[j]] = 0;
            }
        }
    }
    static bool are_opposite(const Corners& a, const Corners& b) noexcept {
        for (std::size_t k = 0; k < 3; ++k) {
            if (a[0] == b[k] && a[1] == b[(k + 2) % 3] && a[2] == b[(k + 1) % 3]) return true;
        }
        return false;
    }

    void compact() {
        std::size_t kept = 0;
        for (std::size_t t = 0; t < alive_.size(); ++t) {
            if (alive_[t] == 0) continue;
            for (std::size_t k = 0; k < 3; ++k) surface_.indices[kept++] = surface_.indices[3 * t + k];
        }
        surface_.indices.resize(kept);
    }

    Surface& surface_;
    std::vector<std::uint32_t> first_;  // a corner of each vertex
    std::vector<std::uint32_t> next_;   // the next one of the same vertex
    std::vector<std::uint8_t> alive_;
    std::vector<std::uint32_t> to_do_;
    std::vector<std::uint32_t> near_;
    std::size_t exchanges_ = 0;
};

}  // namespace

double height_of(const Vector3& a, const Vector3& b, const Vector3& c) noexcept {
    const Arrow across = cross(from_to(a, b), from_to(a, c));
    const double longest = std::max({square_between(a, b), square_between(b, c), square_between(a, c)});
    return longest > 0 ? std::sqrt(dot(across, across) / longest) : 0;
}

std::size_t remove_slivers(Surface& surface) {
    bool any = false;
    for (std::size_t i = 0; i + 2 < surface.indices.size() && !any; i += 3) {
        any = height_of(surface.positions[surface.indices[i]], surface.positions[surface.indices[i + 1]],
                        surface.positions[surface.indices[i + 2]]) < kLeastPatchHeight;
    }
    return any ? Web(surface).remove_slivers() : 0;
}

void fix_border(Surface& surface) {
    std::fill(surface.fixed.begin(), surface.fixed.end(), std::uint8_t{0});
    struct Edge {
        std::uint64_t ends;
        std::int32_t way;
        bool operator<(const Edge& other) const noexcept { return ends < other.ends; }
    };
    std::vector<Edge> edges;
    edges.reserve(surface.indices.size());
    for (std::size_t i = 0; i + 2 < surface.indices.size(); i += 3) {
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint64_t a = surface.indices[i + k];
            const std::uint64_t b = surface.indices[i + (k + 1) % 3];
            edges.push_back({std::min(a, b) << 32 | std::max(a, b), a < b ? 1 : -1});
        }
    }
    std::sort(edges.begin(), edges.end());
    for (std::size_t i = 0; i < edges.size();) {
        std::int32_t balance = 0;
        const std::uint64_t ends = edges[i].ends;
        for (; i < edges.size() && edges[i].ends == ends; ++i) balance += edges[i].way;
        if (balance == 0) continue;
        surface.fixed[ends >> 32] = 1;
        surface.fixed[ends & 0xffffffff] = 1;
    }
}

}  // namespace quarry::terrain::collision
