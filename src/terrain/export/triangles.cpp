#include "terrain/export/triangles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include <meshoptimizer.h>

#include "quarry/terrain/extract.hpp"

namespace quarry::terrain::impl {
namespace {

constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void refuse(std::size_t number, const std::string& what) {
    throw std::invalid_argument("mesh " + std::to_string(number) + " " + what);
}

bool is_finite(const Vector3& at) {
    return std::isfinite(at.x) && std::isfinite(at.y) && std::isfinite(at.z);
}

std::uint32_t largest_index(const IndexList& indices) {
    std::uint32_t largest = 0;
    for (const std::uint16_t index : indices.short_indices()) largest = std::max<std::uint32_t>(largest, index);
    for (const std::uint32_t index : indices.long_indices()) largest = std::max(largest, index);
    return largest;
}

bool has_area(const Vector3& a, const Vector3& b, const Vector3& c) {
    const double ux = static_cast<double>(b.x) - a.x, vx = static_cast<double>(c.x) - a.x;
    const double uy = static_cast<double>(b.y) - a.y, vy = static_cast<double>(c.y) - a.y;
    const double uz = static_cast<double>(b.z) - a.z, vz = static_cast<double>(c.z) - a.z;
    return uy * vz != uz * vy || uz * vx != ux * vz || ux * vy != uy * vx;
}

template <class Index>
void keep(std::span<const Index> indices, const Mesh& mesh, bool collision, std::vector<std::uint32_t>& out) {
    out.resize(indices.size());
    std::size_t used = 0;
    for (std::size_t i = 0; i < indices.size(); i += 3) {
        const Vector3& a = mesh.positions[indices[i]];
        const Vector3& b = mesh.positions[indices[i + 1]];
        const Vector3& c = mesh.positions[indices[i + 2]];
        if (a == b || b == c || c == a || (collision && !has_area(a, b, c))) continue;
        for (std::size_t corner = 0; corner < 3; ++corner) out[used++] = indices[i + corner];
    }
    out.resize(used);
}

}  // namespace

void require_whole(const Mesh& mesh, std::size_t number) {
    const std::size_t vertices = mesh.positions.size();
    if (mesh.key.lod < 0 || mesh.key.lod > kCoarsestLod) {
        refuse(number,
               "has lod " + std::to_string(mesh.key.lod) + "; 0 to " + std::to_string(kCoarsestLod) + " is allowed");
    }
    if (mesh.normals.size() != vertices || (!mesh.materials.empty() && mesh.materials.size() != vertices)) {
        refuse(number, "has " + std::to_string(vertices) + " positions, " + std::to_string(mesh.normals.size()) +
                           " normals and " + std::to_string(mesh.materials.size()) +
                           " materials; as many normals, and as many or no materials, are allowed");
    }
    if (!mesh.material_indices.empty() && (mesh.materials.empty() || mesh.material_indices.size() != vertices)) {
        refuse(number, "has " + std::to_string(vertices) + " positions and " +
                           std::to_string(mesh.material_indices.size()) +
                           " material indices; none, or as many with as many weights, are allowed");
    }
    if (mesh.indices.size() % 3 != 0) {
        refuse(number, "has " + std::to_string(mesh.indices.size()) + " indices; three for each triangle are allowed");
    }
    if (!mesh.indices.empty() && largest_index(mesh.indices) >= vertices) {
        refuse(number, "has an index of " + std::to_string(largest_index(mesh.indices)) + "; below " +
                           std::to_string(vertices) + ", the number of positions, is allowed");
    }
    for (const Vector3& at : mesh.positions) {
        if (!is_finite(at)) refuse(number, "has a position that is not finite");
    }
}

void kept_triangles(const Mesh& mesh, bool collision, std::vector<std::uint32_t>& out) {
    if (mesh.indices.is_short()) {
        keep(mesh.indices.short_indices(), mesh, collision, out);
    } else {
        keep(mesh.indices.long_indices(), mesh, collision, out);
    }
}

Kept count_kept(const Mesh& mesh, bool collision) {
    Piece piece;
    make_piece(mesh, collision, false, piece);
    Kept kept;
    kept.vertices = static_cast<std::uint32_t>(piece.vertices.size());
    kept.indices = piece.triangles.size();
    if (piece.vertices.empty()) return kept;
    kept.bounds = {mesh.positions[piece.vertices.front()], mesh.positions[piece.vertices.front()]};
    auto& [low, high] = kept.bounds;
    for (const std::uint32_t vertex : piece.vertices) {
        const Vector3& at = mesh.positions[vertex];
        low = {std::min(low.x, at.x), std::min(low.y, at.y), std::min(low.z, at.z)};
        high = {std::max(high.x, at.x), std::max(high.y, at.y), std::max(high.z, at.z)};
    }
    return kept;
}

void optimise_order(std::vector<std::uint32_t>& triangles, std::size_t vertices) {
    // The other algorithm of the library takes five times as long, for 1 % fewer vertices in a cache of that size.
    constexpr unsigned kCacheSize = 16;
    meshopt_optimizeVertexCacheFifo(triangles.data(), triangles.data(), triangles.size(), vertices, kCacheSize);
}

void make_piece(const Mesh& mesh, bool collision, bool optimise, Piece& piece) {
    kept_triangles(mesh, collision, piece.triangles);
    const std::size_t vertices = mesh.positions.size();
    std::vector<std::uint32_t> numbers(vertices, kUnused);
    std::size_t used = 0;
    if (optimise && !piece.triangles.empty()) {
        optimise_order(piece.triangles, vertices);
        used =
            meshopt_optimizeVertexFetchRemap(numbers.data(), piece.triangles.data(), piece.triangles.size(), vertices);
    } else {
        for (const std::uint32_t index : piece.triangles) numbers[index] = 0;
        for (std::uint32_t& number : numbers) {
            if (number != kUnused) number = static_cast<std::uint32_t>(used++);
        }
    }
    piece.vertices.resize(used);
    for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
        if (numbers[vertex] != kUnused) piece.vertices[numbers[vertex]] = vertex;
    }
    for (std::uint32_t& index : piece.triangles) index = numbers[index];
}

}  // namespace quarry::terrain::impl
