#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include "quarry/terrain/chunk_mesh.hpp"
#include "terrain/chunk_options.hpp"
#include "terrain/memory/copy_into.hpp"
#include "terrain/nearest_rounding.hpp"
#include "terrain/seam_repair.hpp"
#include "terrain/transvoxel/shrink.hpp"

namespace quarry::terrain {
namespace {

constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();

// In the numbers that the chunk has, so that short ones are never converted.
template <class Index>
class Baker {
  public:
    Baker(const ChunkMesh& from, std::span<const Index> indices, std::uint32_t mask)
        : from_(from), from_indices_(indices), mask_(mask) {
        baked_.key = from.key;
        // Without active sides there are only the chunk's own vertices.
        const std::size_t most = mask == 0 ? from.full_vertices : from.positions.size();
        baked_.positions.reserve(most);
        baked_.normals.reserve(most);
    }

    Mesh bake() {
        move_vertices();
        indices_.reserve(from_.regular.count + most_transition_indices());
        impl::copy_into(indices_, from_indices_.subspan(from_.regular.first, from_.regular.count));
        baked_.regular_indices = from_.regular.count;
        if (mask_ != 0) half_numbers_.assign(from_.positions.size() - from_.full_vertices, kUnused);
        for (std::uint32_t side = 0; side < side::count; ++side) {
            if ((mask_ >> side & 1) != 0) merge_vertices(from_.transitions[side]);
        }
        for (std::uint32_t side = 0; side < side::count; ++side) {
            if ((mask_ >> side & 1) != 0) add_transition(from_.transitions[side]);
        }
        if (mask_ != 0) repair();
        if constexpr (sizeof(Index) == sizeof(std::uint16_t)) {
            baked_.indices = IndexList(std::move(indices_));
        } else {
            baked_.indices = IndexList(indices_, baked_.positions.size());
        }
        baked_.bounds = bounds_of(baked_.positions);
        return std::move(baked_);
    }

  private:
    void move_vertices() {
        const std::size_t full = from_.full_vertices;
        impl::copy_into(baked_.positions, std::span(from_.positions).first(full));
        impl::copy_into(baked_.normals, std::span(from_.normals).first(full));
        if (!from_.materials.empty()) {
            baked_.materials.reserve(baked_.positions.capacity());
            impl::copy_into(baked_.materials, std::span(from_.materials).first(full));
        }
        if (!from_.material_indices.empty()) {
            baked_.material_indices.reserve(baked_.positions.capacity());
            impl::copy_into(baked_.material_indices, std::span(from_.material_indices).first(full));
        }
        if (mask_ == 0) return;
        moved_.assign(full, 0);
        const auto cells = static_cast<float>(from_.cells);
        for (const BorderVertex& vertex : from_.border) {
            const std::uint32_t active = mask_ & vertex.sides;
            if (active == 0) continue;
            Vector3& at = baked_.positions[vertex.vertex];
            const Vector3 along_axes = transvoxel::moved(at, active, vertex.sides, cells);
            if (along_axes == at) continue;
            at = transvoxel::onto_surface(at, along_axes, from_.normals[vertex.vertex], cells);
            along_axes_.push_back(along_axes);
            free_.push_back(vertex.vertex);
            moved_[vertex.vertex] = static_cast<std::uint32_t>(along_axes_.size());
        }
        keep_triangles_upright();
    }

    void repair() {
        const std::span<Index> all(indices_.data(), indices_.size());
        impl::SeamRepair<Index>(baked_.positions, baked_.normals, std::span(from_.positions).first(from_.full_vertices),
                                all.first(from_.regular.count), near_regular_, all.subspan(from_.regular.count), free_,
                                static_cast<float>(from_.cells))
            .run();
    }

    // Along the surface triangles may turn over where it is sharply bent. There vertices move along the axes, which
    // keeps the triangles of regular cells as they were; that may affect the triangles beside, so it is done until
    // nothing changes.
    void keep_triangles_upright() {
        bool changed = !along_axes_.empty();
        if (changed) list_near_regular();
        while (changed) {
            changed = false;
            for (const std::uint32_t first : near_regular_) changed = lift_vertices(first, true) || changed;
            for (std::uint32_t side = 0; side < side::count; ++side) {
                if ((mask_ >> side & 1) == 0) continue;
                const IndexRange range = from_.transitions[side];
                for (std::uint32_t first = range.first; first < range.first + range.count; first += 3) {
                    changed = lift_vertices(first, false) || changed;
                }
            }
        }
    }

    void list_near_regular() {
        for (std::uint32_t i = 0; i < from_.regular.count; i += 3) {
            const Index* const corners = from_indices_.data() + i;
            if ((moved_[corners[0]] | moved_[corners[1]] | moved_[corners[2]]) != 0) near_regular_.push_back(i);
        }
    }

    bool lift_vertices(std::uint32_t first, bool regular) {
        const std::uint32_t corners[3] = {from_indices_[first], from_indices_[first + 1], from_indices_[first + 2]};
        if (!is_moved(corners[0]) && !is_moved(corners[1]) && !is_moved(corners[2])) return false;
        return !faces_outwards(corners, regular) && lift(corners, regular);
    }

    // The triangle's corners to where the move along the axes takes them. A triangle of a transition cell may face the
    // wrong way there too; then its corners stay on the surface.
    bool lift(const std::uint32_t* corners, bool regular) {
        std::array<Vector3, 3> before{};
        std::array<std::uint32_t, 3> numbers{};
        for (std::size_t i = 0; i < 3; ++i) {
            if (!is_moved(corners[i])) continue;
            before[i] = baked_.positions[corners[i]];
            numbers[i] = moved_[corners[i]];
            baked_.positions[corners[i]] = along_axes_[numbers[i] - 1];
        }
        const bool helps = regular || faces_outwards(corners, false);
        for (std::size_t i = 0; i < 3; ++i) {
            if (numbers[i] == 0) continue;
            if (helps) {
                moved_[corners[i]] = 0;
            } else {
                baked_.positions[corners[i]] = before[i];
            }
        }
        return helps;
    }

    bool is_moved(std::uint32_t vertex) const { return vertex < from_.full_vertices && moved_[vertex] != 0; }

    static Vector3 across(const Vector3& a, const Vector3& b, const Vector3& c) noexcept {
        const float ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z;
        const float vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
        return {uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx};
    }

    // Triangles of regular cells as they did before anything moved, those of transition cells as their normals.
    bool faces_outwards(const std::uint32_t* corners, bool regular) const {
        const Vector3 a = position(corners[0]), b = position(corners[1]), c = position(corners[2]);
        const Vector3 now = across(a, b, c);
        Vector3 wanted{};
        if (regular) {
            wanted = across(from_.positions[corners[0]], from_.positions[corners[1]], from_.positions[corners[2]]);
        } else {
            if (a == b || b == c || c == a) return true;
            for (std::size_t i = 0; i < 3; ++i) {
                const Vector3& n = from_.normals[corners[i]];
                wanted = {wanted.x + n.x, wanted.y + n.y, wanted.z + n.z};
            }
        }
        return now.x * wanted.x + now.y * wanted.y + now.z * wanted.z > 0;
    }

    std::size_t most_transition_indices() const {
        std::size_t most = 0;
        for (std::uint32_t side = 0; side < side::count; ++side) {
            if ((mask_ >> side & 1) != 0) most += from_.transitions[side].count;
        }
        return most;
    }

    Vector3 position(std::uint32_t vertex) const {
        return vertex < from_.full_vertices ? baked_.positions[vertex] : from_.positions[vertex];
    }

    // Half-resolution vertices are taken over when the first triangle uses them.
    std::uint32_t number_of(std::uint32_t vertex) {
        if (vertex < from_.full_vertices) return vertex;
        std::uint32_t& number = half_numbers_[vertex - from_.full_vertices];
        if (number == kUnused) {
            number = static_cast<std::uint32_t>(baked_.positions.size());
            baked_.positions.push_back(from_.positions[vertex]);
            baked_.normals.push_back(from_.normals[vertex]);
            if (!from_.materials.empty()) baked_.materials.push_back(from_.materials[vertex]);
            if (!from_.material_indices.empty()) baked_.material_indices.push_back(from_.material_indices[vertex]);
        }
        return number;
    }

    // Where a side that is not active keeps vertices in place, a half-resolution vertex may lie where one of the
    // chunk's own does. Then they are one vertex, and triangles with both of them are left out: the two edges that
    // remain of such a triangle are one, so that opens no crack.
    void merge_vertices(IndexRange range) {
        for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
            const std::uint32_t a = from_indices_[i];
            const std::uint32_t b = from_indices_[i % 3 == 2 ? i - 2 : i + 1];
            if (position(a) != position(b)) continue;
            const std::uint32_t half = std::max(a, b), full = std::min(a, b);
            if (half >= from_.full_vertices && full < from_.full_vertices)
                half_numbers_[half - from_.full_vertices] = full;
        }
    }

    // Two of the chunk's own that have moved to one place are not: they have edges of their own, and may be moved
    // apart.
    bool are_one(std::uint32_t a, std::uint32_t b) const { return merged(a) == merged(b); }
    std::uint32_t merged(std::uint32_t vertex) const {
        if (vertex < from_.full_vertices) return vertex;
        const std::uint32_t number = half_numbers_[vertex - from_.full_vertices];
        return number < from_.full_vertices ? number : vertex;
    }

    void add_transition(IndexRange range) {
        for (std::uint32_t i = range.first; i < range.first + range.count; i += 3) {
            const std::uint32_t a = from_indices_[i], b = from_indices_[i + 1], c = from_indices_[i + 2];
            if (are_one(a, b) || are_one(b, c) || are_one(c, a)) continue;
            for (const std::uint32_t vertex : {a, b, c}) indices_.push_back(static_cast<Index>(number_of(vertex)));
        }
    }

    const ChunkMesh& from_;
    const std::span<const Index> from_indices_;
    const std::uint32_t mask_;
    Mesh baked_;
    MeshVector<Index> indices_;
    MeshVector<std::uint32_t> half_numbers_;
    MeshVector<std::uint32_t> moved_;  // for each vertex its number in along_axes_, from 1 on; 0: it stays there
    MeshVector<Vector3> along_axes_;
    MeshVector<std::uint32_t> free_;          // the vertices that have moved, ascending
    MeshVector<std::uint32_t> near_regular_;  // the first indices of regular triangles with such a vertex
};

}  // namespace

Mesh bake(const ChunkMesh& mesh, std::uint32_t mask) {
    const impl::NearestRounding nearest;
    impl::require_mask(mask);
    if (mesh.indices.is_short()) return Baker(mesh, mesh.indices.short_indices(), mask).bake();
    return Baker(mesh, mesh.indices.long_indices(), mask).bake();
}

}  // namespace quarry::terrain
