#pragma once

#include <memory>

#include "quarry/terrain/mesh.hpp"
#include "values.hpp"

namespace quarry::godot {

// How chunk keys and meshes become places in the world.
struct ChunkFrame {
    double voxel_size = 1;
    std::int32_t cells = 32;
};

// A mesh as RenderingServer.mesh_add_surface takes it. Made on a worker; the main thread only hands it on.
struct Surface {
    ChunkFrame frame;
    Dictionary data;
    std::size_t vertices = 0;
};

std::shared_ptr<Surface> pack_surface(const terrain::Mesh& mesh, const ChunkFrame& frame);

}  // namespace quarry::godot
