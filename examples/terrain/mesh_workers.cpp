// Threads that mesh chunks, for a host with its own chunk logic.
#include <cstdio>
#include <memory>
#include <thread>

#include <quarry/terrain/mesh_worker_pool.hpp>
#include <quarry/terrain/noise_field.hpp>

namespace terrain = quarry::terrain;

int main() {
    int results = 0;
    // [begin docs]
    const auto hills = std::make_shared<terrain::NoiseField>();
    terrain::MeshWorkerPool workers;  // a thread for each usable CPU
    for (int x = 0; x < 8; ++x) {
        workers.request({.key = {.lod = 0, .x = x, .y = 0, .z = 0}, .field = hills, .distance = 32.0 * x});
    }
    while (workers.open() > 0) {
        if (const auto result = workers.try_result()) {
            std::printf("chunk %d: %zu vertices\n", result->key.x, result->mesh.positions.size());
            ++results;
        } else {
            std::this_thread::yield();  // a host would go on with its frame
        }
    }
    // [end docs]
    return results == 8 ? 0 : 1;
}
