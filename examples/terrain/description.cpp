// A world that a JSON file describes, with its materials.
#include <cstdio>
#include <filesystem>

#include <quarry/terrain/chunk_mesh.hpp>
#include <quarry/terrain/description.hpp>
#include <quarry/terrain/extract.hpp>

namespace terrain = quarry::terrain;

int main(int count, char** arguments) {
    const std::filesystem::path file = count > 1 ? arguments[1] : "examples/terrain/world.json";
    // [begin docs]
    const terrain::Described world = terrain::read_description(file);
    terrain::ExtractOptions options;
    options.materials = world.materials.get();
    const terrain::ChunkMesh chunk = terrain::extract(*world.field, {.lod = 1, .x = 0, .y = 0, .z = 0}, options);
    for (std::size_t i = 0; i < chunk.positions.size(); i += 500) {
        const auto& [sand, grass, rock, lava] = chunk.materials[i].of;
        std::printf("vertex %zu: sand %d, grass %d, rock %d, lava %d of 255\n", i, sand, grass, rock, lava);
    }
    // [end docs]
    return chunk.content == terrain::ChunkContent::surface ? 0 : 1;
}
