#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "quarry/jobs/parallel_for.hpp"
#include "quarry/terrain/export.hpp"
#include "quarry/terrain/lattice.hpp"
#include "quarry/terrain/mesh.hpp"
#include "terrain/chunk_options.hpp"
#include "terrain/export/lattice_key.hpp"
#include "terrain/export/triangles.hpp"

namespace quarry::terrain::impl {

// body(i) for all i below count, on the pool if there is one.
template <class Body>
void for_each_index(Pool* pool, std::size_t count, Body&& body) {
    if (pool != nullptr) {
        parallel_for(*pool, std::size_t{0}, count, body);
    } else {
        for (std::size_t i = 0; i < count; ++i) body(i);
    }
}

// Throws std::invalid_argument unless the mesh is whole, within the lattice, and has its positions on it; the number
// names it.
void require_weldable(const Mesh& mesh, std::size_t number, std::int32_t cells);

// What a file shows as one thing: a chunk, or all of them welded. Never without triangles.
struct Part {
    const Mesh* mesh = nullptr;  // null: welded
    std::uint64_t vertices = 0;
    std::uint64_t indices = 0;
    MeshBounds bounds{};  // of the positions as glb has them
    bool has_materials = false;
    bool has_material_indices = false;  // of some mesh: more than four materials

    bool has_short_indices() const noexcept { return vertices <= IndexList::kMostShortVertices; }
};

// The colour that a vertex's materials add up to: red, green, blue.
std::array<std::uint8_t, 3> colour_of(const Mesh& mesh, std::size_t vertex, const ExportOptions& options);

// Where a vertex is, in the two ways in which files say it.
class Place {
  public:
    Place(const Mesh& mesh, const ExportOptions& options) : mesh_(&mesh), lattice_(&options.lattice) {
        const LatticeKey corner = corner_of(mesh.key, options.cells);
        corner_ = {static_cast<double>(corner.x) / kLatticeUnits, static_cast<double>(corner.y) / kLatticeUnits,
                   static_cast<double>(corner.z) / kLatticeUnits};
        step_ = static_cast<double>(1 << mesh.key.lod);
    }

    // In voxels of LOD 0 from a lattice point. The sums are exact, the result is rounded once.
    Vector3 from(const LatticePoint& origin, Vector3 at) const noexcept {
        return {static_cast<float>(corner_.x - origin.x + at.x * step_),
                static_cast<float>(corner_.y - origin.y + at.y * step_),
                static_cast<float>(corner_.z - origin.z + at.z * step_)};
    }

    // In world units: from the exact lattice place, so that vertices in one place have the same bits.
    Vector3 in_world(Vector3 at) const noexcept {
        const auto world = [this](double corner, float local, double origin) {
            return static_cast<float>((corner + local * step_) * lattice_->voxel_size + origin);
        };
        return {world(corner_.x, at.x, lattice_->origin.x), world(corner_.y, at.y, lattice_->origin.y),
                world(corner_.z, at.z, lattice_->origin.z)};
    }
    Vector3 in_world(std::uint32_t vertex) const noexcept { return in_world(mesh_->positions[vertex]); }

  private:
    const Mesh* mesh_;
    const Lattice* lattice_;
    Position corner_{};
    double step_ = 1;
};

// The meshes of an export as parts, cleaned, optimised and welded as the options say. The constructor throws what
// export.hpp promises.
class Content {
  public:
    Content(std::span<const Mesh> meshes, const ExportOptions& options);

    const ExportOptions& options() const noexcept { return *options_; }
    std::span<const Part> parts() const noexcept { return parts_; }
    bool has_materials() const noexcept;  // some part
    std::uint64_t vertices() const noexcept;
    std::uint64_t indices() const noexcept;

    // Lattice point that welded positions count from.
    const LatticePoint& welded_origin() const noexcept { return welded_origin_; }

    // visit(mesh, piece) for all meshes that have triangles, in their order. Vertices are those that the mesh adds to
    // its part, triangles are numbers within the part.
    template <class Visit>
    void for_each_piece(Visit visit) const {
        std::vector<Piece> pieces(options_->pool != nullptr ? std::min(kBatch, meshes_.size()) : 1);
        for (std::size_t first = 0; first < meshes_.size(); first += pieces.size()) {
            const std::size_t count = std::min(pieces.size(), meshes_.size() - first);
            for_each_index(options_->pool, count, [&](std::size_t i) { fill(first + i, pieces[i]); });
            for (std::size_t i = 0; i < count; ++i) {
                if (!pieces[i].triangles.empty()) visit(meshes_[first + i], pieces[i]);
            }
        }
    }

    // visit(mesh, vertices), the same without the triangles.
    template <class Visit>
    void for_each_vertices(Visit visit) const {
        if (!options_->welded) {
            for_each_piece([&](const Mesh& mesh, const Piece& piece) { visit(mesh, std::span(piece.vertices)); });
            return;
        }
        std::vector<std::uint32_t> vertices;
        for (std::size_t i = 0; i < meshes_.size(); ++i) {
            fill_welded_vertices(i, vertices);
            visit(meshes_[i], std::span<const std::uint32_t>(vertices));
        }
    }

  private:
    // Enough for every worker, few enough to be no matter of memory.
    static constexpr std::size_t kBatch = 64;

    void check_options() const;
    void add_parts(std::span<const Kept> kept);
    void weld(std::span<const Kept> kept);
    void number_vertices(std::size_t mesh, PlaceNumbers& places, std::vector<std::uint32_t>& number_at);
    MeshBounds welded_bounds(std::span<const Kept> kept);
    void fill(std::size_t mesh, Piece& piece) const;
    void fill_welded_vertices(std::size_t mesh, std::vector<std::uint32_t>& vertices) const;

    std::span<const Mesh> meshes_;
    const ExportOptions* options_;
    std::vector<Part> parts_;

    // Welded: the number within the part of each vertex that is used, and where each mesh begins in that list and
    // in the numbers. A mesh adds those of its vertices that have a number of its own.
    std::vector<std::uint32_t> numbers_;
    std::vector<std::size_t> first_vertex_;
    std::vector<std::uint32_t> first_number_;
    LatticePoint welded_origin_{};
};

}  // namespace quarry::terrain::impl
