// Ground that is dug, saved, and dug again in a second session.
#include <cstdio>
#include <filesystem>
#include <memory>

#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/edit_world.hpp>
#include <quarry/terrain/edited_field.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/raycast.hpp>
#include <quarry/terrain/world_file.hpp>

namespace terrain = quarry::terrain;

int main() {
    const std::filesystem::path path = std::filesystem::temp_directory_path() / "quarry_example_save.db";
    std::filesystem::remove(path);
    double dug = 0;
    {
        // [begin docs]
        quarry::Pool pool;
        const auto hills = std::make_shared<terrain::NoiseField>(terrain::NoiseOptions{.seed = 7});
        terrain::EditWorld world(hills);
        terrain::WorldFile file(pool, world, path, {.ground = 7});

        const terrain::Position viewer{4, 10, 0};
        for (int frame = 0; frame < 60; ++frame) {
            world.apply({.kind = terrain::EditKind::dig, .stroke = 1, .at = {4, 20 - 0.5 * frame, 0}, .radius = 4});
            for (const terrain::Box& box : file.update({&viewer, 1})) {
                // Ground of the file has appeared here: mesh it again.
                std::printf("loaded from x = %.0f\n", box.low.x);
            }
        }
        if (!file.save()) std::printf("not saved: %s\n", file.stats().problem.c_str());
        std::printf("%llu edits are saved\n", static_cast<unsigned long long>(file.stats().saved));
        // [end docs]
        dug = terrain::highest_ground_below(*world.field(), 4, 100, 0).value();
    }
    quarry::Pool pool;
    terrain::EditWorld again(std::make_shared<terrain::NoiseField>(terrain::NoiseOptions{.seed = 7}));
    double found = 0;
    {
        terrain::WorldFile file(pool, again, path, {.ground = 7, .read_only = true});
        file.load({{-16, -64, -16}, {16, 64, 16}});
        found = terrain::highest_ground_below(*again.field(), 4, 100, 0).value();
    }
    std::filesystem::remove(path);
    return found == dug ? 0 : 1;
}
