#include <algorithm>
#include <optional>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/world.hpp"
#include "terrain/world/candidates.hpp"
#include "terrain/world/run_on_workers.hpp"

namespace quarry::terrain {
namespace {

constexpr std::size_t kSampledChunks = 96;

std::uint64_t bytes_of(const Mesh& mesh) {
    const std::size_t index = mesh.indices.is_short() ? sizeof(std::uint16_t) : sizeof(std::uint32_t);
    return sizeof(Mesh) + mesh.positions.size() * sizeof(Vector3) + mesh.normals.size() * sizeof(Vector3) +
           mesh.materials.size() * sizeof(MaterialWeights) + mesh.indices.size() * index;
}

}  // namespace

double WorldEstimate::vertices() const noexcept {
    double sum = 0;
    for (const Mesh& mesh : sample) sum += static_cast<double>(mesh.positions.size());
    return sum * scale;
}

double WorldEstimate::triangles() const noexcept {
    double sum = 0;
    for (const Mesh& mesh : sample) sum += static_cast<double>(mesh.indices.size()) / 3;
    return sum * scale;
}

double WorldEstimate::bytes() const noexcept {
    double sum = 0;
    for (const Mesh& mesh : sample) sum += static_cast<double>(bytes_of(mesh));
    return sum * scale;
}

WorldEstimate estimate_world(Pool& pool, const Field& field, std::span<const PlacedChunk> places,
                             const WorldOptions& options) {
    samples_of({}, options.extract);
    WorldEstimate estimate;
    impl::run_on_workers(pool, [&] {
        const std::vector<std::size_t> candidates = impl::find_candidates(pool, field, places, options);
        estimate.to_mesh = candidates.size();
        const std::size_t sampled = std::min(kSampledChunks, candidates.size());
        estimate.sample.resize(sampled);
        parallel_for(pool, std::size_t{0}, sampled, [&](std::size_t i) {
            if (options.stop_token.stop_requested()) return;
            const PlacedChunk& place = places[candidates[i * candidates.size() / sampled]];
            const ChunkMesh chunk = extract(field, place.key, options.extract);
            if (chunk.content == ChunkContent::surface) estimate.sample[i] = bake(chunk, place.mask);
        });
        if (options.stop_token.stop_requested())
            throw Cancelled("the estimate of the world was stopped before its end");
        estimate.scale = sampled == 0 ? 0 : static_cast<double>(candidates.size()) / static_cast<double>(sampled);
        std::erase_if(estimate.sample, [](const Mesh& mesh) { return mesh.indices.empty(); });
    });
    return estimate;
}

}  // namespace quarry::terrain
