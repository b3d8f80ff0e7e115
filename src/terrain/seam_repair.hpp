#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "quarry/terrain/mesh.hpp"
#include "quarry/terrain/mesh_memory.hpp"

namespace quarry::terrain::impl {

inline Vector3 minus(const Vector3& a, const Vector3& b) noexcept {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vector3 plus(const Vector3& a, const Vector3& b) noexcept {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vector3 times(float scale, const Vector3& a) noexcept {
    return {scale * a.x, scale * a.y, scale * a.z};
}
inline Vector3 across(const Vector3& a, const Vector3& b) noexcept {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float along(const Vector3& a, const Vector3& b) noexcept {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// A corner's move beyond this is not worth what it mends, in cells.
inline constexpr float kFarthestRepair = 0.3f;
// What repaired triangles have at least as their height, in cells; physics engines stumble over less than 0.01.
inline constexpr float kLeastHeight = 0.0102f;

// Mends the triangles of transition cells that are slivers or face inwards, in a mesh that is complete otherwise: by
// the other diagonal of two neighbours, or by moving a corner that belongs to the chunk alone. Vertices that other
// chunks have, and edges between them, stay as they are. What cannot be mended without harm to another triangle stays,
// too.
template <class Index>
class SeamRepair {
  public:
    using Triangle = std::array<std::uint32_t, 3>;

    // near_regular are the regular triangles that have a free vertex, by the place of their first index; `before` are
    // the positions of the chunk's own vertices before anything moved. Free vertices are in ascending order.
    SeamRepair(std::span<Vector3> positions, std::span<const Vector3> normals, std::span<const Vector3> before,
               std::span<const Index> regular, std::span<const std::uint32_t> near_regular, std::span<Index> transition,
               std::span<const std::uint32_t> free_vertices, float cells)
        : positions_(positions),
          normals_(normals),
          before_(before),
          regular_(regular),
          near_regular_(near_regular),
          transition_(transition),
          free_(free_vertices),
          cells_(cells) {}

    void run() {
        for (int pass = 0; pass < kPasses; ++pass) {
            find_faults();
            if (transition_faults_.empty() && regular_faults_.empty()) return;
            const bool mended = mend(kGrave);
            mend(1);
            if (!mended) return;
        }
    }

  private:
    static constexpr int kPasses = 2;
    static constexpr int kRounds = 4;
    static constexpr int kGrave = 16;           // a sliver, or one that faces inwards
    static constexpr int kForbidden = 1 << 20;  // no number of mended triangles is worth it
    // The cosine to its normals below which a triangle hardly faces outwards.
    static constexpr float kLeastFacing = 0.15f;

    void find_faults() {
        transition_faults_.clear();
        regular_faults_.clear();
        for (std::size_t first = 0; first < transition_.size(); first += 3) {
            if (fault_of(transition_at(first)) != 0) transition_faults_.push_back(first);
        }
        for (const std::uint32_t first : near_regular_) {
            const Triangle triangle = regular_at(first);
            if (is_low(triangle, area_of(triangle))) regular_faults_.push_back(first);
        }
    }

    // Triangles that are at least so bad. Says whether something has changed.
    bool mend(int fault) {
        bool any = false;
        for (int round = 0; round < kRounds; ++round) {
            bool mended = false;
            // Flips append to the list.
            for (std::size_t i = 0; i < transition_faults_.size(); ++i) {  // NOLINT(modernize-loop-convert)
                const std::size_t first = transition_faults_[i];
                const Triangle triangle = transition_at(first);
                if (fault_of(triangle) < fault) continue;
                mended = flip(first) || move_corner(triangle, false) || mended;
            }
            for (const std::size_t first : regular_faults_) {
                const Triangle triangle = regular_at(first);
                if (fault_of_regular(triangle) < fault) continue;
                mended = move_corner(triangle, true) || mended;
            }
            any = any || mended;
            if (!mended) break;
        }
        return any;
    }

    Triangle transition_at(std::size_t first) const {
        return {transition_[first], transition_[first + 1], transition_[first + 2]};
    }
    Triangle regular_at(std::size_t first) const { return {regular_[first], regular_[first + 1], regular_[first + 2]}; }

    Vector3 wanted(const Triangle& triangle) const {
        return plus(plus(normals_[triangle[0]], normals_[triangle[1]]), normals_[triangle[2]]);
    }

    Vector3 area_of(const Triangle& triangle) const {
        const Vector3& a = positions_[triangle[0]];
        return across(minus(positions_[triangle[1]], a), minus(positions_[triangle[2]], a));
    }

    bool is_low(const Triangle& triangle, const Vector3& area) const {
        const Vector3 &a = positions_[triangle[0]], &b = positions_[triangle[1]], &c = positions_[triangle[2]];
        const Vector3 ab = minus(b, a), bc = minus(c, b), ca = minus(a, c);
        const float longest = std::max({along(ab, ab), along(bc, bc), along(ca, ca)});
        return along(area, area) < kLeastHeight * kLeastHeight * longest;
    }

    // How bad a triangle is: 0 where it is as it should be.
    int fault_of(const Triangle& triangle) const {
        const Vector3 area = area_of(triangle), up = wanted(triangle);
        const float facing = along(area, up);
        if (!(facing > 0) || is_low(triangle, area)) return kGrave;
        return facing * facing < kLeastFacing * kLeastFacing * along(area, area) * along(up, up) ? 1 : 0;
    }

    // A regular triangle must not turn over, whatever its normals say.
    int fault_of_regular(const Triangle& triangle) const {
        const Vector3 area = area_of(triangle);
        const Vector3& a = before_[triangle[0]];
        const Vector3 was = across(minus(before_[triangle[1]], a), minus(before_[triangle[2]], a));
        if (!(along(area, was) > 0)) return kForbidden;
        return is_low(triangle, area) ? kGrave : 0;
    }

    static bool has(const Triangle& triangle, std::uint32_t vertex) noexcept {
        return triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex;
    }

    // The place of the transition triangle that goes from `from` to `to`, if there is one.
    std::optional<std::size_t> with_edge(std::uint32_t from, std::uint32_t to) const {
        for (std::size_t first = 0; first < transition_.size(); first += 3) {
            const Triangle each = transition_at(first);
            for (std::size_t i = 0; i < 3; ++i) {
                if (each[i] == from && each[(i + 1) % 3] == to) return first;
            }
        }
        return std::nullopt;
    }

    bool is_edge(std::uint32_t a, std::uint32_t b) const {
        if (with_edge(a, b) || with_edge(b, a)) return true;
        if (std::max(a, b) >= before_.size()) return false;
        for (std::size_t first = 0; first < regular_.size(); first += 3) {
            const Triangle each = regular_at(first);
            if (has(each, a) && has(each, b)) return true;
        }
        return false;
    }

    void put(std::size_t first, const Triangle& triangle) {
        for (std::size_t i = 0; i < 3; ++i) transition_[first + i] = static_cast<Index>(triangle[i]);
    }

    // The diagonal between the triangle and one beside it is replaced by the other one, if both are right then.
    bool flip(std::size_t first) {
        const Triangle triangle = transition_at(first);
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint32_t a = triangle[i], b = triangle[(i + 1) % 3], c = triangle[(i + 2) % 3];
            const auto second = with_edge(b, a);
            if (!second) continue;
            const Triangle beside = transition_at(*second);
            const std::uint32_t d = beside[0] != a && beside[0] != b   ? beside[0]
                                    : beside[1] != a && beside[1] != b ? beside[1]
                                                                       : beside[2];
            const Triangle one{a, d, c}, other{d, b, c};
            const int faults = fault_of(one) + fault_of(other);
            if (d == c || faults >= kGrave || faults >= fault_of(triangle) + fault_of(beside)) continue;
            if (is_edge(c, d)) continue;
            put(first, one);
            put(*second, other);
            transition_faults_.push_back(*second);
            return true;
        }
        return false;
    }

    bool is_free(std::uint32_t vertex) const { return std::binary_search(free_.begin(), free_.end(), vertex); }

    bool move_corner(const Triangle& triangle, bool is_regular) {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint32_t vertex = triangle[i], a = triangle[(i + 1) % 3], b = triangle[(i + 2) % 3];
            if (!is_free(vertex)) continue;
            if (move(vertex, a, b, is_regular ? area_of(triangle) : wanted(triangle))) return true;
        }
        return false;
    }

    // The vertex to the side of the edge from a to b on which the triangle faces outwards, as far as it has to.
    bool move(std::uint32_t vertex, std::uint32_t a, std::uint32_t b, const Vector3& outwards) {
        const Vector3 old = positions_[vertex];
        const Vector3 edge = minus(positions_[b], positions_[a]);
        const Vector3 up = across(outwards, edge);
        const float square = along(up, up);
        if (!(square > 0)) return false;
        const Vector3 away = times(1 / std::sqrt(square), up);
        const float now = along(minus(old, positions_[a]), away);
        find_fan(vertex);
        const int faults = faults_of_fan();
        for (const float height : {1.5f * kLeastHeight, 3 * kLeastHeight, 6 * kLeastHeight}) {
            const float shift = height - now;
            if (!(shift > 0) || shift > kFarthestRepair) continue;
            positions_[vertex] = on_grid(plus(old, times(shift, away)));
            if (is_within(positions_[vertex]) && faults_of_fan() < faults) return true;
        }
        positions_[vertex] = old;
        return false;
    }

    static Vector3 on_grid(const Vector3& at) noexcept {
        constexpr float kUnits = 16384;
        const auto whole = [](float along_axis) { return std::nearbyint(along_axis * kUnits) / kUnits; };
        return {whole(at.x), whole(at.y), whole(at.z)};
    }

    // Off the sides, whose vertices belong to others.
    bool is_within(const Vector3& at) const noexcept {
        constexpr float kOff = 1.0f / 1024;
        const auto is_off = [&](float place) { return place >= kOff && place <= cells_ - kOff; };
        return is_off(at.x) && is_off(at.y) && is_off(at.z);
    }

    void find_fan(std::uint32_t vertex) {
        fan_.clear();
        for (std::size_t first = 0; first < transition_.size(); first += 3) {
            const Triangle each = transition_at(first);
            if (has(each, vertex)) fan_.push_back(each);
        }
        fan_transitions_ = fan_.size();
        for (const std::uint32_t first : near_regular_) {
            const Triangle each = regular_at(first);
            if (has(each, vertex)) fan_.push_back(each);
        }
    }

    int faults_of_fan() const {
        int faults = 0;
        for (std::size_t i = 0; i < fan_.size(); ++i) {
            faults += i < fan_transitions_ ? fault_of(fan_[i]) : fault_of_regular(fan_[i]);
        }
        return faults;
    }

    const std::span<Vector3> positions_;
    const std::span<const Vector3> normals_;
    const std::span<const Vector3> before_;
    const std::span<const Index> regular_;
    const std::span<const std::uint32_t> near_regular_;
    const std::span<Index> transition_;
    const std::span<const std::uint32_t> free_;
    const float cells_;
    MeshVector<std::size_t> transition_faults_;  // the places of triangles that have, or had, something wrong
    MeshVector<std::size_t> regular_faults_;
    MeshVector<Triangle> fan_;         // the triangles around a vertex
    std::size_t fan_transitions_ = 0;  // so many of them, the first, are of transition cells
};

}  // namespace quarry::terrain::impl
