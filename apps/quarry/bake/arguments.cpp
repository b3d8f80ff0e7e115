#include "bake/arguments.hpp"

#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/chunk_key.hpp>
#include <quarry/terrain/export.hpp>
#include <quarry/terrain/extract.hpp>
#include <quarry/terrain/world.hpp>

namespace quarry::app {
namespace {

void declare_noise(Options& options, BakeArguments& arguments) {
    options.seed("--seed", arguments.seed, "Seed of the noise or the showcase (default: 42)");
    options.whole("--octaves", arguments.octaves, {1, 16}, "N", "Octaves of the noise (default: 4)");
    options.real("--frequency", arguments.frequency, {1e-6, 1e3}, "F",
                 "Waves of the first octave per unit (default: 0.02)");
    options.real("--amplitude", arguments.amplitude, {0, 1e6}, "UNITS",
                 "Most by which the noise raises the ground, in units (default: 32)");
    options.real("--offset", arguments.offset, {-1e6, 1e6}, "UNITS", "Height of the noise's middle (default: 0)");
    options.real("--lacunarity", arguments.lacunarity, {1, 8}, "F",
                 "Frequency of an octave over the one before (default: 2)");
    options.real("--persistence", arguments.persistence, {1e-6, 1}, "F",
                 "Strength of an octave over the one before (default: 0.5)");
}

void declare_world(Options& options, BakeArguments& arguments) {
    options.text("--world", arguments.world, "WORLD",
                 "sphere:RADIUS, box:X,Y,Z or octree:RADIUS, in units (default: octree:2048)");
    options.text("--viewer", arguments.viewer, "X,Y,Z", "Where an octree is finest (default: 0,0,0)");
    options.real("--lod-distance", arguments.lod_distance, kLengths, "UNITS",
                 "How far LOD 0 reaches; each further one twice as far (default: 128)");
    options.whole("--max-lod", arguments.max_lod, {0, terrain::kCoarsestLod}, "N",
                  "The coarsest level of an octree, 0 to 7 (default: 7)");
    options.whole("--lod", arguments.lod, {0, terrain::kCoarsestLod}, "N",
                  "The level of detail of a sphere or box, 0 to 7 (default: 0)");
    options.whole("--chunk-cells", arguments.chunk_cells, {terrain::kFewestCells, terrain::kMostCells}, "N",
                  "Cells along each axis of a chunk, even, 4 to 62 (default: 32)");
    options.real("--voxel-size", arguments.voxel_size, {1e-3, 1e3}, "UNITS",
                 "Width of a cell of LOD 0, in units (default: 1)");
}

}  // namespace

void declare_field(Options& options, BakeArguments& arguments) {
    options.text("--field", arguments.field, "FIELD|FILE.json",
                 "showcase (default), noise, or a description of a field");
    declare_noise(options, arguments);
}

void declare_outputs(Options& options, OutputArguments& arguments) {
    const std::string help = "Write a file: " + terrain::export_endings() + "; can be given several times";
    options.texts("--out", arguments.out, "FILE ...", help.c_str());
    options.flag("--welded", arguments.welded, "Write one mesh, with vertices shared across chunks");
    options.flag("--collision", arguments.collision, "Write positions and triangles only");
}

void declare_bake(Options& options, BakeArguments& arguments) {
    declare_field(options, arguments);
    declare_world(options, arguments);
    options.whole("--threads", arguments.threads, {1, Pool::kMostWorkers}, "N",
                  "Worker threads (default: one for each usable core)");
    options.text("--simd", arguments.simd, "TARGET", "scalar, sse4, avx2, avx512 or neon (default: the best there is)");
    declare_outputs(options, arguments);
    options.flag("--check", arguments.check,
                 "Look for cracks at every edge of every triangle; exit status 1 if there are any");
    options.text("--preview", arguments.preview, "FILE.png", "Draw the world");
    options.text("--preview-lods", arguments.preview_lods, "FILE.png",
                 "Draw its triangles, coloured by level of detail");
    options.json(arguments.json);
}

}  // namespace quarry::app
