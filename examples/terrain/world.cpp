// Meshes all chunks around a viewer: fine nearby, coarse far away.
#include <cstdio>
#include <vector>

#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/world.hpp>

namespace terrain = quarry::terrain;

int main() {
    // [begin docs]
    const terrain::NoiseField hills({.seed = 7, .amplitude = 32});
    quarry::Pool pool;

    // All chunks that reach into a ball around the viewer, and on which sides their neighbours are coarser.
    const std::vector<terrain::PlacedChunk> places =
        terrain::octree_world({.viewer = {10, 5, -20}, .radius = 500, .lod_distance = 64});
    const terrain::WorldMesh world = terrain::mesh_world(pool, hills, places);

    // One mesh for each chunk that has a surface, ready to draw, in the order of the places.
    std::printf("%zu of %zu chunks have a surface: %zu triangles\n", world.meshes.size(), places.size(),
                static_cast<std::size_t>(world.triangles));
    // [end docs]
    return world.meshes.empty() ? 1 : 0;
}
