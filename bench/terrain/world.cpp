#include "terrain/world.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/world.hpp>

#include "terrain/chunks.hpp"

namespace quarry::bench {

namespace {

using namespace terrain;

constexpr double kMebibyte = 1024 * 1024;

template <class T>
std::size_t bytes_of(const T& list) {
    return list.size() * sizeof(list[0]);
}

double bytes_of_meshes(const WorldMesh& world) {
    std::size_t bytes = world.meshes.size() * sizeof(Mesh);
    for (const Mesh& mesh : world.meshes) {
        bytes += bytes_of(mesh.positions) + bytes_of(mesh.normals) + bytes_of(mesh.materials) +
                 mesh.indices.short_indices().size_bytes() + mesh.indices.long_indices().size_bytes();
    }
    return static_cast<double>(bytes);
}

}  // namespace

void measure_world(int workers, Answer& answer) {
    const NoiseField field;
    const std::vector<PlacedChunk> places = sphere_world(kWorldRadius);
    Pool pool(workers);
    const double before = resident_mib();
    const auto mesh_all = [&] {
        const std::int64_t start = now_ns();
        WorldMesh world = mesh_world(pool, field, places);
        return std::pair(static_cast<double>(now_ns() - start) / 1e9, std::move(world));
    };
    const auto [seconds, bytes] = [&] {
        const auto [time, world] = mesh_all();
        return std::pair(time, bytes_of_meshes(world));
    }();
    const double peak = peak_memory_mib() - before;
    answer.add("world", "s", seconds);
    answer.add("world_warm", "s", mesh_all().first);
    answer.add("world_meshes", "MiB", bytes / kMebibyte);
    answer.add("world_peak", "MiB", peak);
    answer.add("world_beyond", "MiB", peak - bytes / kMebibyte);
}

}  // namespace quarry::bench
