#include <cstdio>
#include <sstream>
#include <vector>

#include <quarry/jobs/error.hpp>
#include <quarry/terrain/export.hpp>
#include <quarry/terrain/extract.hpp>
#include <quarry/terrain/heightmap.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/world_file_tools.hpp>

namespace terrain = quarry::terrain;

namespace {

// Reaches Highway by the field, meshoptimizer by the export.
bool hills_are_written() {
    const terrain::NoiseField hills({.seed = 7, .amplitude = 32});
    const terrain::ChunkMesh chunk = terrain::extract(hills, {.lod = 1, .x = 1, .y = -1, .z = 0});
    if (chunk.content != terrain::ChunkContent::surface) return false;
    const std::vector<terrain::Mesh> meshes{terrain::bake(chunk, 0)};
    std::ostringstream file;
    terrain::write_glb(file, meshes);
    return file.str().starts_with("glTF");
}

// Reaches libpng.
bool text_is_no_picture() {
    try {
        terrain::parse_png_heightmap({}, "nothing.png");
    } catch (const quarry::Error&) {
        return true;
    }
    return false;
}

// Reaches SQLite and zstd.
bool a_file_of_edits_is_missed() {
    try {
        terrain::world_file_info("no such file");
    } catch (const quarry::Error&) {
        return true;
    }
    return false;
}

}  // namespace

int main() {
    const bool all_right = hills_are_written() && text_is_no_picture() && a_file_of_edits_is_missed();
    std::printf("terrain: %s\n", all_right ? "all right" : "wrong result");
    return all_right ? 0 : 1;
}
