// What exporting 1,000 chunks of noise costs, and the search for cracks in them.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/closedness.hpp>
#include <quarry/terrain/export.hpp>
#include <quarry/terrain/extract.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <sys/resource.h>

namespace {

namespace terrain = quarry::terrain;

constexpr std::size_t kChunks = 1000;

double milliseconds(auto&& function) {
    const auto start = std::chrono::steady_clock::now();
    function();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double best_of_three(auto&& function) {
    double best = milliseconds(function);
    for (int i = 0; i < 2; ++i) best = std::min(best, milliseconds(function));
    return best;
}

long peak_kilobytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

struct World {
    std::vector<terrain::Mesh> meshes;
    std::vector<terrain::ChunkKey> places;
    std::size_t triangles = 0;
    std::size_t vertices = 0;
};

World make_world() {
    const terrain::NoiseField hills;
    World world;
    for (std::int32_t x = 0; world.meshes.size() < kChunks; ++x) {
        for (std::int32_t z = 0; z < 24; ++z) {
            for (std::int32_t y = -2; y < 2; ++y) {
                world.places.push_back({0, x, y, z});
                const terrain::ChunkMesh chunk = terrain::extract(hills, world.places.back());
                if (chunk.content != terrain::ChunkContent::surface) continue;
                world.meshes.push_back(terrain::bake(chunk, 0));
                world.triangles += world.meshes.back().indices.size() / 3;
                world.vertices += world.meshes.back().positions.size();
            }
        }
    }
    return world;
}

}  // namespace

int main() {
    const World world = make_world();
    std::printf("%zu chunks, %zu vertices, %zu triangles; times of the best of 3, to /dev/null\n", world.meshes.size(),
                world.vertices, world.triangles);
    quarry::Pool pool;
    std::printf("format variant   plain  optimised  with pool       size ms   peak grows MB\n");
    for (const terrain::ExportFormatInfo& info : terrain::export_formats()) {
        for (int variant = 0; variant < 4; ++variant) {
            terrain::ExportOptions options;
            options.welded = (variant & 1) != 0;
            options.collision = (variant & 2) != 0;
            const auto write = [&] {
                std::ofstream out("/dev/null", std::ios::binary);
                terrain::write(info.format, out, world.meshes, options);
            };
            const long before = peak_kilobytes();
            options.optimise = false;
            const double plain = best_of_three(write);
            options.optimise = true;
            const double optimised = best_of_three(write);
            options.pool = &pool;
            const double with_pool = best_of_three(write);
            const double size = milliseconds([&] { estimated_size(info.format, world.meshes, options); });
            std::printf("%-7s%s%s %7.0f %10.0f %10.0f %13.0f %15.1f\n", info.ending.data(), options.welded ? "w" : "-",
                        options.collision ? "c" : "-", plain, optimised, with_pool, size,
                        static_cast<double>(peak_kilobytes() - before) / 1024);
        }
    }
    terrain::Closedness closed;
    const double alone = best_of_three([&] { closed = check_closedness(world.meshes, world.places, 32); });
    const double pooled = best_of_three([&] { closed = check_closedness(world.meshes, world.places, 32, &pool); });
    std::printf("closedness: %zu cracks in %zu edges, rim %zu, %.0f ms, with a pool %.0f ms\n",
                static_cast<std::size_t>(closed.cracks), static_cast<std::size_t>(closed.edges),
                static_cast<std::size_t>(closed.rim), alone, pooled);
    return 0;
}
