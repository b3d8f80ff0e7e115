#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include "quarry/terrain/chunk_mesh.hpp"
#include "terrain/memory/copy_into.hpp"
#include "terrain/nearest_rounding.hpp"
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
            if ((mask_ >> side & 1) != 0) add_transition(from_.transitions[side]);
        }
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
        for (const BorderVertex& vertex : from_.border) {
            const std::uint32_t active = mask_ & vertex.sides;
            if (active == 0) continue;
            const std::size_t moved = vertex.first_moved + transvoxel::rank_of_choice(active, vertex.sides);
            baked_.positions[vertex.vertex] = from_.moved_positions[moved];
            baked_.normals[vertex.vertex] = from_.moved_normals[moved];
        }
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
        }
        return number;
    }

    // Where a side that is not active keeps vertices in place, transition triangles may have two corners in one place.
    // The two edges that are left then coincide, so leaving out the triangle opens no crack.
    void add_transition(IndexRange range) {
        for (std::uint32_t i = range.first; i < range.first + range.count; i += 3) {
            const std::uint32_t a = from_indices_[i], b = from_indices_[i + 1], c = from_indices_[i + 2];
            if (position(a) == position(b) || position(b) == position(c) || position(c) == position(a)) continue;
            for (const std::uint32_t vertex : {a, b, c}) indices_.push_back(static_cast<Index>(number_of(vertex)));
        }
    }

    const ChunkMesh& from_;
    const std::span<const Index> from_indices_;
    const std::uint32_t mask_;
    Mesh baked_;
    MeshVector<Index> indices_;
    MeshVector<std::uint32_t> half_numbers_;
};

}  // namespace

Mesh bake(const ChunkMesh& mesh, std::uint32_t mask) {
    const impl::NearestRounding nearest;
    if (mask > side::all) throw std::invalid_argument("mask must be 0 to 63: six bits, one for each side");
    if (mesh.indices.is_short()) return Baker(mesh, mesh.indices.short_indices(), mask).bake();
    return Baker(mesh, mesh.indices.long_indices(), mask).bake();
}

}  // namespace quarry::terrain
