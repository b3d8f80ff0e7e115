#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::terrain::test_support {

// A place, and what else tells vertices apart that are in one place.
using VertexName = std::array<double, 5>;

// Triangles between named vertices, from any number of meshes.
class Surface {
  public:
    void add(const VertexName& a, const VertexName& b, const VertexName& c) {
        triangles_.push_back({number(a), number(b), number(c)});
    }

    std::size_t vertices() const { return names_.size(); }
    std::size_t triangles() const { return triangles_.size(); }

    // Directed edges that are there once more than in the other direction, but for those that may_be_open(a, b) allows.
    template <class MayBeOpen>
    std::size_t open_edges(MayBeOpen may_be_open) const {
        std::size_t open = 0;
        for_each_edge([&](std::uint32_t a, std::uint32_t b, std::size_t forward, std::size_t backward) {
            if (forward != backward && !may_be_open(names_[a], names_[b])) ++open;
        });
        return open;
    }

    // Directed edges that more than one triangle has.
    std::size_t repeated_edges() const {
        std::size_t repeated = 0;
        for_each_edge([&](std::uint32_t, std::uint32_t, std::size_t forward, std::size_t) { repeated += forward > 1; });
        return repeated;
    }

    // Vertices around which the triangles are not one cycle, but for those that may_be_open(v, v) allows.
    template <class MayBeOpen>
    std::size_t bad_links(MayBeOpen may_be_open) const {
        // Each corner as (its vertex, the next corner's, the one after).
        std::vector<Triangle> corners;
        corners.reserve(3 * triangles_.size());
        for (const auto& [a, b, c] : triangles_) corners.insert(corners.end(), {{a, b, c}, {b, c, a}, {c, a, b}});
        std::sort(corners.begin(), corners.end());
        std::size_t bad = 0;
        for (auto first = corners.begin(); first != corners.end();) {
            const std::uint32_t vertex = (*first)[0];
            const auto last = std::find_if(first, corners.end(), [&](const Triangle& c) { return c[0] != vertex; });
            if (!is_one_cycle({first, last}) && !may_be_open(names_[vertex], names_[vertex])) ++bad;
            first = last;
        }
        return bad;
    }

    // V - E + F.
    std::int64_t euler_characteristic() const {
        std::size_t edges = 0;
        for_each_edge([&](std::uint32_t a, std::uint32_t b, std::size_t, std::size_t) { edges += a < b; });
        return static_cast<std::int64_t>(vertices() + triangles()) - static_cast<std::int64_t>(edges);
    }

    // Volume that the triangles enclose, when the names' first three numbers are places.
    double volume() const {
        double six_fold = 0;
        for (const auto& triangle : triangles_) {
            const VertexName& a = names_[triangle[0]];
            const VertexName& b = names_[triangle[1]];
            const VertexName& c = names_[triangle[2]];
            six_fold += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                        a[2] * (b[0] * c[1] - b[1] * c[0]);
        }
        return six_fold / 6;
    }

  private:
    using Triangle = std::array<std::uint32_t, 3>;

    std::uint32_t number(const VertexName& name) {
        const auto [at, is_new] = numbers_.emplace(name, static_cast<std::uint32_t>(names_.size()));
        if (is_new) names_.push_back(name);
        return at->second;
    }

    // visit(a, b, how often a -> b, how often b -> a), for every directed edge that occurs.
    template <class Visit>
    void for_each_edge(Visit visit) const {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
        edges.reserve(3 * triangles_.size());
        for (const auto& [a, b, c] : triangles_) edges.insert(edges.end(), {{a, b}, {b, c}, {c, a}});
        std::sort(edges.begin(), edges.end());
        const auto count = [&](std::uint32_t a, std::uint32_t b) {
            const auto [first, last] = std::equal_range(edges.begin(), edges.end(), std::pair(a, b));
            return static_cast<std::size_t>(last - first);
        };
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (i > 0 && edges[i] == edges[i - 1]) continue;
            const auto [a, b] = edges[i];
            visit(a, b, count(a, b), count(b, a));
        }
    }

    static bool is_one_cycle(const std::vector<Triangle>& corners) {
        std::uint32_t at = corners.front()[1];
        for (std::size_t steps = 1; steps <= corners.size(); ++steps) {
            const auto leads_on = [&](const Triangle& corner) { return corner[1] == at; };
            if (std::count_if(corners.begin(), corners.end(), leads_on) != 1) return false;
            at = (*std::find_if(corners.begin(), corners.end(), leads_on))[2];
            if (at == corners.front()[1]) return steps == corners.size();
        }
        return false;
    }

    struct HashOfName {
        std::size_t operator()(const VertexName& name) const {
            std::uint64_t hash = 0;
            for (const double part : name)
                hash = (hash ^ std::bit_cast<std::uint64_t>(part + 0.0)) * 0x9e3779b97f4a7c15u;
            return static_cast<std::size_t>(hash ^ hash >> 32);
        }
    };

    std::unordered_map<VertexName, std::uint32_t, HashOfName> numbers_;
    std::vector<VertexName> names_;
    std::vector<Triangle> triangles_;
};

inline bool never_open(const VertexName&, const VertexName&) {
    return false;
}

}  // namespace quarry::terrain::test_support
