#include "preview/geometry.hpp"

#include <cmath>
#include <limits>

#include "quarry/jobs/parallel_for.hpp"

namespace quarry::app::preview {
namespace {

struct Corner {
    double x;
    double y;
    double z;
    double scale;
};

Corner corner_of(const terrain::Mesh& mesh, std::int32_t cells, const terrain::Lattice& lattice) {
    const double scale = std::ldexp(lattice.voxel_size, mesh.key.lod);
    const double width = scale * cells;
    return {mesh.key.x * width + lattice.origin.x, mesh.key.y * width + lattice.origin.y,
            mesh.key.z * width + lattice.origin.z, scale};
}

terrain::Position middle_of(std::span<const terrain::Mesh> meshes, std::int32_t cells,
                            const terrain::Lattice& lattice) {
    constexpr double kFar = std::numeric_limits<double>::max();
    terrain::Position low{kFar, kFar, kFar};
    terrain::Position high{-kFar, -kFar, -kFar};
    for (const terrain::Mesh& mesh : meshes) {
        if (mesh.indices.empty()) continue;
        const Corner corner = corner_of(mesh, cells, lattice);
        const double width = corner.scale * cells;
        low = {std::min(low.x, corner.x), std::min(low.y, corner.y), std::min(low.z, corner.z)};
        high = {std::max(high.x, corner.x + width), std::max(high.y, corner.y + width),
                std::max(high.z, corner.z + width)};
    }
    if (low.x > high.x) return lattice.origin;
    return {low.x + (high.x - low.x) / 2, low.y + (high.y - low.y) / 2, low.z + (high.z - low.z) / 2};
}

}  // namespace

float Geometry::radius() const {
    return std::max(length(high - low) * 0.5F, 1e-6F);
}

Vec Geometry::local(terrain::Position place) const {
    return {static_cast<float>(place.x - origin.x), static_cast<float>(place.y - origin.y),
            static_cast<float>(place.z - origin.z)};
}

Geometry place_meshes(Pool& pool, std::span<const terrain::Mesh> meshes, std::int32_t cells,
                      const terrain::Lattice& lattice) {
    Geometry geometry;
    geometry.origin = middle_of(meshes, cells, lattice);
    for (const terrain::Mesh& mesh : meshes) {
        if (!mesh.indices.empty()) geometry.meshes.emplace_back().mesh = &mesh;
    }
    parallel_for(pool, std::size_t{0}, geometry.meshes.size(), [&](std::size_t i) {
        PlacedMesh& placed = geometry.meshes[i];
        const Corner corner = corner_of(*placed.mesh, cells, lattice);
        placed.cell = static_cast<float>(corner.scale);
        placed.positions.reserve(placed.mesh->positions.size());
        for (const terrain::Vector3& p : placed.mesh->positions) {
            placed.positions.push_back(geometry.local({static_cast<double>(p.x) * corner.scale + corner.x,
                                                       static_cast<double>(p.y) * corner.scale + corner.y,
                                                       static_cast<double>(p.z) * corner.scale + corner.z}));
        }
        const auto& indices = placed.mesh->indices;
        placed.indices.resize(indices.size());
        for (std::size_t k = 0; k < indices.size(); ++k) placed.indices[k] = indices[k];
        placed.low = placed.high = placed.positions.front();
        for (const Vec& p : placed.positions) {
            placed.low = least(placed.low, p);
            placed.high = greatest(placed.high, p);
        }
    });
    for (std::size_t i = 0; i < geometry.meshes.size(); ++i) {
        const PlacedMesh& placed = geometry.meshes[i];
        geometry.low = i == 0 ? placed.low : least(geometry.low, placed.low);
        geometry.high = i == 0 ? placed.high : greatest(geometry.high, placed.high);
    }
    return geometry;
}

}  // namespace quarry::app::preview
