// write_glb_worlds FOLDER: writes an octree cut of at least 200 chunks of hills as glb in all variants, for validators.
// Ends with status 1 where our own check finds something.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>

#include "quarry/terrain/export.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "tests/terrain/check_glb/check_glb.hpp"
#include "tests/terrain/export/worlds.hpp"

namespace {

using namespace quarry::terrain;  // NOLINT(google-build-using-namespace)
using test_support::World;

constexpr std::size_t kFewestChunks = 200;

World make_world() {
    const NoiseField hills({.frequency = 0.05, .amplitude = 150, .offset = 60});
    World world = test_support::octree_world(hills, 1, 16, 560);
    test_support::add_materials(world);
    if (world.meshes.size() < kFewestChunks) throw std::runtime_error("the world has too few chunks");
    return world;
}

void write_and_check(const World& world, const std::filesystem::path& path, const ExportOptions& options) {
    std::ofstream out(path, std::ios::binary);
    write_glb(out, world.meshes, options);
    out.close();
    const GlbCheck check = check_glb(path, {.places = world.places});
    for (const std::string& finding : check.findings) std::fprintf(stderr, "%s: %s\n", path.c_str(), finding.c_str());
    if (!check.is_good()) throw std::runtime_error(path.string() + " is not as it should be");
    std::printf("%s: %zu nodes, %zu vertices, %zu triangles, %zu cracks in %zu edges\n", path.c_str(),
                static_cast<std::size_t>(check.nodes), static_cast<std::size_t>(check.vertices),
                static_cast<std::size_t>(check.triangles), static_cast<std::size_t>(check.closedness->cracks),
                static_cast<std::size_t>(check.closedness->edges));
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::filesystem::path folder = std::span(argv, static_cast<std::size_t>(argc)).back();
        std::filesystem::create_directories(folder);
        const World world = make_world();
        for (int variant = 0; variant < 4; ++variant) {
            ExportOptions options;
            options.cells = world.cells;
            options.lattice.voxel_size = 0.7;
            options.welded = (variant & 1) != 0;
            options.collision = (variant & 2) != 0;
            const std::string name = std::string("world") + (options.welded ? "_welded" : "") +
                                     (options.collision ? "_collision" : "") + ".glb";
            write_and_check(world, folder / name, options);
        }
        ExportOptions options;
        options.cells = world.cells;
        write_and_check({{}, {}, world.cells}, folder / "empty.glb", options);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "write_glb_worlds: %s\n", error.what());
        return 1;
    }
}
