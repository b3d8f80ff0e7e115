// A small world as files: one to look at, one for physics.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include <quarry/terrain/closedness.hpp>
#include <quarry/terrain/export.hpp>
#include <quarry/terrain/extract.hpp>
#include <quarry/terrain/noise_field.hpp>

namespace terrain = quarry::terrain;

int main() {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "quarry_example_export";
    std::filesystem::create_directories(folder);
    // [begin docs]
    const terrain::NoiseField hills({.seed = 7, .amplitude = 20});
    std::vector<terrain::ChunkKey> places;
    std::vector<terrain::Mesh> meshes;
    for (int x = 0; x < 4; ++x) {
        for (int y = -1; y < 1; ++y) places.push_back({.lod = 0, .x = x, .y = y, .z = 0});
    }
    for (const terrain::ChunkKey& key : places) {
        const terrain::ChunkMesh chunk = terrain::extract(hills, key);
        if (chunk.content == terrain::ChunkContent::surface) meshes.push_back(terrain::bake(chunk, 0));
    }

    const terrain::Closedness closed = terrain::check_closedness(meshes, places, 32);
    std::printf("%zu cracks in %zu edges\n", closed.cracks, closed.edges);

    std::ofstream drawn(folder / "hills.glb", std::ios::binary);
    terrain::write_glb(drawn, meshes);
    std::ofstream solid(folder / "hills.stl", std::ios::binary);
    terrain::write_stl(solid, meshes, {.collision = true});
    // [end docs]
    const bool is_written = !drawn.flush().fail() && !solid.flush().fail();
    const bool is_whole = is_written && closed.is_closed() && !meshes.empty();
    std::filesystem::remove_all(folder);
    return is_whole ? 0 : 1;
}
