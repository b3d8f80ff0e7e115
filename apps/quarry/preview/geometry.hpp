#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "preview/vector.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/lattice.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::app::preview {

// A mesh in its place. It borrows the mesh.
struct PlacedMesh {
    const terrain::Mesh* mesh = nullptr;
    std::vector<Vec> positions;          // in world units from the geometry's origin
    std::vector<std::uint32_t> indices;  // the mesh's, in one width
    Vec low;
    Vec high;
    float cell = 1;  // width of one of its cells, in world units
};

// All meshes that have triangles, near their common middle: so single precision is enough wherever in the world they
// are. Vertices that two meshes share have equal bits here too, for they are exact in double precision and rounded
// once.
struct Geometry {
    terrain::Position origin{};
    std::vector<PlacedMesh> meshes;
    Vec low;
    Vec high;

    Vec middle() const { return (low + high) * 0.5F; }
    // Of the ball around the middle that holds all; above 0 also for an empty world.
    float radius() const;
    Vec local(terrain::Position place) const;
};

Geometry place_meshes(Pool& pool, std::span<const terrain::Mesh> meshes, std::int32_t cells,
                      const terrain::Lattice& lattice);

}  // namespace quarry::app::preview
