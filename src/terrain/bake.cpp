#include <limits>
#include <span>
#include <stdexcept>

#include "quarry/terrain/chunk_mesh.hpp"
#include "terrain/transvoxel/shrink.hpp"

namespace quarry::terrain {
namespace {

constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();

class Baker {
  public:
    Baker(const ChunkMesh& from, std::uint32_t mask) : from_(from), mask_(mask) {
        baked_.key = from.key;
        baked_.positions.reserve(from.positions.size());
        baked_.normals.reserve(from.positions.size());
    }

    Mesh bake() {
        move_vertices();
        indices_.reserve(from_.indices.size());
        for (std::uint32_t i = 0; i < from_.regular.count; ++i)
            indices_.push_back(from_.indices[from_.regular.first + i]);
        baked_.regular_indices = from_.regular.count;
        half_numbers_.assign(from_.positions.size() - from_.full_vertices, kUnused);
        for (std::uint32_t side = 0; side < side::count; ++side) {
            if ((mask_ >> side & 1) != 0) add_transition(from_.transitions[side]);
        }
        baked_.indices = IndexList(indices_, baked_.positions.size());
        baked_.bounds = bounds_of(baked_.positions);
        return std::move(baked_);
    }

  private:
    void move_vertices() {
        const auto full = static_cast<std::ptrdiff_t>(from_.full_vertices);
        baked_.positions.assign(from_.positions.begin(), from_.positions.begin() + full);
        baked_.normals.assign(from_.normals.begin(), from_.normals.begin() + full);
        if (!from_.materials.empty()) {
            baked_.materials.reserve(from_.materials.size());
            baked_.materials.assign(from_.materials.begin(), from_.materials.begin() + full);
        }
        for (const BorderVertex& vertex : from_.border) {
            const std::uint32_t active = mask_ & vertex.sides;
            if (active == 0) continue;
            const std::size_t moved = vertex.first_moved + transvoxel::rank_of_choice(active, vertex.sides);
            baked_.positions[vertex.vertex] = from_.moved_positions[moved];
            baked_.normals[vertex.vertex] = from_.moved_normals[moved];
        }
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
            const std::uint32_t a = from_.indices[i], b = from_.indices[i + 1], c = from_.indices[i + 2];
            if (position(a) == position(b) || position(b) == position(c) || position(c) == position(a)) continue;
            for (const std::uint32_t vertex : {a, b, c}) indices_.push_back(number_of(vertex));
        }
    }

    const ChunkMesh& from_;
    const std::uint32_t mask_;
    Mesh baked_;
    std::vector<std::uint32_t> indices_;
    std::vector<std::uint32_t> half_numbers_;
};

}  // namespace

Mesh bake(const ChunkMesh& mesh, std::uint32_t mask) {
    if (mask > side::all) throw std::invalid_argument("mask must be 0 to 63: six bits, one for each side");
    return Baker(mesh, mask).bake();
}

}  // namespace quarry::terrain
