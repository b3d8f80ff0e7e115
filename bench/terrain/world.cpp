#include "terrain/world.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
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

std::size_t bytes_of_meshes(const WorldMesh& world) {
    std::size_t bytes = world.meshes.size() * sizeof(Mesh);
    for (const Mesh& mesh : world.meshes) {
        bytes += bytes_of(mesh.positions) + bytes_of(mesh.normals) + bytes_of(mesh.materials) +
                 mesh.indices.short_indices().size_bytes() + mesh.indices.long_indices().size_bytes();
    }
    return bytes;
}

template <class F>
double seconds_of(F&& f) {
    const std::int64_t start = now_ns();
    f();
    return static_cast<double>(now_ns() - start) / 1e9;
}

}  // namespace

void measure_world(RowContext& context) {
    const NoiseField field;
    const std::vector<PlacedChunk> places = sphere_world(kWorldRadius);
    Pool pool(context.workers);
    const double resident = resident_mib();
    const double allocated = allocated_mib();
    std::optional<WorldMesh> world;
    context.add_time("world", seconds_of([&] { world = mesh_world(pool, field, places); }));
    const double meshes = static_cast<double>(bytes_of_meshes(*world)) / kMebibyte;
    const double peak = peak_memory_mib() - resident;
    context.answer.add("world_meshes", "MiB", meshes);
    context.answer.add("world_allocated", "MiB", allocated_mib() - allocated);
    context.answer.add("world_peak", "MiB", peak);
    context.answer.add("world_beyond", "MiB", peak - meshes);
    world.reset();
    context.add_time("world_warm", seconds_of([&] { world = mesh_world(pool, field, places); }));
}

}  // namespace quarry::bench
