#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "quarry/terrain/mesh.hpp"
#include "values.hpp"

namespace quarry::godot {

// How chunk keys and meshes become places in the world.
struct ChunkFrame {
    double voxel_size = 1;
    std::int32_t cells = 32;
};

// The buffers of a surface in the RenderingServer: one of few sizes, so that a mesh fits where another one was. Eight
// sizes double the room, and meshes have about six indices a vertex.
struct SurfaceRoom {
    std::uint8_t size = 0;
    bool has_weights = false;

    static constexpr std::size_t kSizes = 160;
    // The smallest one that holds so many.
    static SurfaceRoom of(std::size_t vertices, std::size_t indices, bool has_weights);
    std::size_t vertices() const noexcept { return (std::size_t{8} << (size / 8)) * (8 + size % 8); }
    std::size_t indices() const noexcept { return vertices() * 6; }
    bool has_short_indices() const noexcept { return vertices() <= 65'536; }  // Godot decides by the vertices
    std::size_t bytes() const noexcept;
    // Less than 2 * kSizes.
    std::size_t number() const noexcept { return std::size_t{size} * 2 + (has_weights ? 1 : 0); }
};

// A mesh as RenderingServer.mesh_add_surface takes it, and mesh_surface_update_vertex_region and its like. It fills its
// room: vertices that no triangle has, and triangles without an area. Made on a worker; the main thread only hands it
// on.
struct Surface {
    ChunkFrame frame;
    SurfaceRoom room;
    Aabb box;
    Bytes vertex_data;
    Bytes index_data;
    std::optional<Bytes> weights;
    Dictionary data;           // of the same bytes
    std::size_t vertices = 0;  // of the mesh itself
};

std::shared_ptr<Surface> pack_surface(const terrain::Mesh& mesh, const ChunkFrame& frame);

}  // namespace quarry::godot
