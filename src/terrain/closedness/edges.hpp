#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace quarry::terrain::impl {

// What a vertex is to the search for edges: one of its own mesh alone, or one that other meshes may have too, which
// then has a number that is the same in all of them.
class VertexId {
  public:
    static constexpr std::uint32_t kMostNumbers = std::uint32_t{1} << 30;

    VertexId() = default;
    static VertexId own(std::uint32_t number) noexcept { return VertexId(number << 1); }
    static VertexId shared(std::uint32_t number) noexcept { return VertexId(number << 1 | 1); }

    static VertexId from_bits(std::uint32_t bits) noexcept { return VertexId(bits); }

    bool is_shared() const noexcept { return (bits_ & 1) != 0; }
    std::uint32_t number() const noexcept { return bits_ >> 1; }
    std::uint32_t bits() const noexcept { return bits_; }

    friend constexpr bool operator==(const VertexId&, const VertexId&) = default;

  private:
    explicit VertexId(std::uint32_t bits) noexcept : bits_(bits) {}

    std::uint32_t bits_ = 0;
};

// An edge between shared vertices, walked from the lower number to the higher one or back. Sorted, equal lines are
// neighbours.
struct SharedEdge {
    SharedEdge(std::uint32_t from, std::uint32_t to) noexcept
        : bits_(std::uint64_t{std::min(from, to)} << 32 | std::uint64_t{std::max(from, to)} << 1 | (from > to)) {}

    std::uint32_t low() const noexcept { return static_cast<std::uint32_t>(bits_ >> 32); }
    std::uint32_t high() const noexcept {
        return static_cast<std::uint32_t>(bits_ >> 1) & (VertexId::kMostNumbers - 1);
    }
    bool is_backward() const noexcept { return (bits_ & 1) != 0; }
    bool is_line_of(const SharedEdge& other) const noexcept { return bits_ >> 1 == other.bits_ >> 1; }

    friend bool operator<(const SharedEdge& a, const SharedEdge& b) noexcept { return a.bits_ < b.bits_; }

  private:
    std::uint64_t bits_;
};

// An edge from an own vertex to some other, walked so many times more that way than back.
struct OpenEnds {
    std::uint32_t own = 0;
    VertexId other;
    std::int64_t times = 0;
};

// The edges of one mesh.
struct MeshEdges {
    std::uint64_t edges = 0;         // with an end that is the mesh's own; the mesh has all there is of these
    std::uint64_t repeated = 0;      // of those
    std::vector<OpenEnds> open;      // of those
    std::vector<SharedEdge> shared;  // the others
};

// Sorts the edges of a mesh by an own vertex that each has, then looks at the few that a vertex has.
class EdgeFinder {
  public:
    // corner(i) is the VertexId of corner i; own numbers are below own_vertices.
    template <class CornerAt>
    MeshEdges find(std::size_t corners, std::size_t own_vertices, CornerAt corner) {
        MeshEdges found;
        // Counts come to lie one place up, so that adding them gives the first place of each vertex.
        first_.assign(own_vertices + 1, 0);
        for_each_edge(corners, corner, [&](VertexId from, VertexId to) {
            if (const auto owner = owner_of(from, to)) {
                ++first_[*owner + std::size_t{1}];
            } else {
                found.shared.emplace_back(from.number(), to.number());
            }
        });
        for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
        next_.assign(first_.begin(), first_.end());
        entries_.resize(first_.back());
        for_each_edge(corners, corner, [&](VertexId from, VertexId to) {
            const auto owner = owner_of(from, to);
            if (!owner) return;
            const bool is_outward = !from.is_shared() && from.number() == *owner;
            const VertexId other = is_outward ? to : from;
            entries_[next_[*owner]++] = std::uint64_t{other.bits()} << 1 | (is_outward ? 0u : 1u);
        });
        for (std::uint32_t vertex = 0; vertex < own_vertices; ++vertex) look_at(vertex, found);
        return found;
    }

  private:
    struct Owner {
        std::uint32_t number;
        bool exists;

        explicit operator bool() const noexcept { return exists; }
        std::uint32_t operator*() const noexcept { return number; }
    };

    static Owner owner_of(VertexId a, VertexId b) noexcept {
        if (a.is_shared()) return {b.number(), !b.is_shared()};
        return {b.is_shared() ? a.number() : std::min(a.number(), b.number()), true};
    }

    template <class CornerAt, class Visit>
    static void for_each_edge(std::size_t corners, CornerAt corner, Visit visit) {
        for (std::size_t i = 0; i + 2 < corners; i += 3) {
            const VertexId a = corner(i), b = corner(i + 1), c = corner(i + 2);
            if (a == b || b == c || c == a) continue;
            visit(a, b);
            visit(b, c);
            visit(c, a);
        }
    }

    void look_at(std::uint32_t vertex, MeshEdges& found) {
        const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(first_[vertex]);
        const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(first_[vertex + std::size_t{1}]);
        std::sort(begin, end);
        for (auto at = begin; at != end;) {
            const std::uint64_t other = *at >> 1;
            std::size_t outward = 0;
            std::size_t inward = 0;
            for (; at != end && *at >> 1 == other; ++at) ++((*at & 1) == 0 ? outward : inward);
            ++found.edges;
            if (outward > 1 || inward > 1) ++found.repeated;
            if (outward == inward) continue;
            const auto times = static_cast<std::int64_t>(outward) - static_cast<std::int64_t>(inward);
            found.open.push_back({vertex, VertexId::from_bits(static_cast<std::uint32_t>(other)), times});
        }
    }

    std::vector<std::size_t> first_;
    std::vector<std::size_t> next_;
    std::vector<std::uint64_t> entries_;
};

}  // namespace quarry::terrain::impl
