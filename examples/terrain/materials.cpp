// What the ground is made of, by height, slope and noise, with a stroke of paint over it.
#include <cstdio>
#include <memory>
#include <vector>

#include <quarry/terrain/chunk_mesh.hpp>
#include <quarry/terrain/covers.hpp>
#include <quarry/terrain/extract.hpp>
#include <quarry/terrain/materials.hpp>
#include <quarry/terrain/noise_field.hpp>

namespace terrain = quarry::terrain;

int main() {
    // [begin docs]
    constexpr int kGrass = 0, kRock = 1, kSnow = 2, kPath = 3;
    const auto steep = std::make_shared<terrain::SlopeCover>(terrain::CoverRange{.from = 35, .blend = 10});
    const auto flat = std::make_shared<terrain::SlopeCover>(terrain::CoverRange{.to = 45, .blend = 10});
    // Not a line across the mountain, but one that wanders up and down by 6 units.
    const auto high = std::make_shared<terrain::HeightCover>(terrain::CoverRange{.from = 12, .blend = 4},
                                                             terrain::NoiseOptions{.frequency = 0.05, .amplitude = 6});
    const auto ground = std::make_shared<terrain::LayeredMaterials>(
        kGrass, std::vector<terrain::MaterialLayer>{{.material = kRock, .where = {steep}},
                                                    {.material = kSnow, .where = {high, flat}, .strength = 0.9}});
    const terrain::PaintedMaterials materials(ground,
                                              {{.centre = {16, 0, 16}, .radius = 12, .soft = 4, .material = kPath}});

    terrain::ExtractOptions options;
    options.materials = &materials;
    const terrain::ChunkMesh chunk = terrain::extract(terrain::NoiseField(), {.lod = 0}, options);
    // [end docs]
    std::size_t painted = 0;
    for (const terrain::MaterialWeights& weights : chunk.materials) painted += weights.of[kPath] > 127 ? 1 : 0;
    std::printf("%zu of %zu vertices are painted\n", painted, chunk.materials.size());
    return painted > 0 ? 0 : 1;
}
