// The mesh of one chunk, two of whose sides have a coarser neighbour.
#include <cstdio>

#include <quarry/terrain/chunk_mesh.hpp>
#include <quarry/terrain/extract.hpp>
#include <quarry/terrain/noise_field.hpp>

namespace terrain = quarry::terrain;

int main() {
    // [begin docs]
    const terrain::NoiseField hills({.seed = 7, .amplitude = 32});

    // 32 x 32 x 32 cells at LOD 1: 64 units wide, from (64, -64, 0).
    const terrain::ChunkMesh chunk = terrain::extract(hills, {.lod = 1, .x = 1, .y = -1, .z = 0});
    if (chunk.content != terrain::ChunkContent::surface) return 1;

    // The neighbours towards higher x and lower z have LOD 2, the others do not.
    const terrain::Mesh mesh = terrain::bake(chunk, terrain::side::high_x | terrain::side::low_z);
    std::printf("%zu vertices, %zu triangles, %s indices\n", mesh.positions.size(), mesh.indices.size() / 3,
                mesh.indices.is_short() ? "16-bit" : "32-bit");
    // [end docs]
    return mesh.indices.size() > chunk.regular.count ? 0 : 1;
}
