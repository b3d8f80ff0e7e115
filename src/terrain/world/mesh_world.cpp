#include <algorithm>
#include <chrono>
#include <optional>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/worker_local.hpp"
#include "quarry/terrain/world.hpp"
#include "terrain/content_hasher.hpp"
#include "terrain/world/candidates.hpp"
#include "terrain/world/run_on_workers.hpp"

namespace quarry::terrain {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// What a worker keeps from chunk to chunk.
struct WorkerShare {
    ExtractScratch scratch;
    std::uint64_t surface = 0;
    std::size_t worker = static_cast<std::size_t>(Pool::current_index());
};

class WorldRun {
  public:
    WorldRun(Pool& pool, const Field& field, std::span<const PlacedChunk> places, const WorldOptions& options)
        : pool_(pool), field_(field), places_(places), options_(options) {
        world_.contents.resize(places.size(), ChunkContent::rejected);
        world_.counts.total = places.size();
    }

    WorldMesh run() {
        const Clock::time_point start = Clock::now();
        reject();
        throw_if_stopped();
        const Clock::time_point rejected = Clock::now();
        world_.seconds_rejecting = std::chrono::duration<double>(rejected - start).count();
        mesh();
        throw_if_stopped();
        collect();
        world_.seconds_meshing = seconds_since(rejected);
        return std::move(world_);
    }

  private:
    bool stopped() const { return options_.stop_token.stop_requested(); }

    void throw_if_stopped() const {
        if (stopped()) throw Cancelled("the meshing of the world was stopped before its end");
    }

    void reject() {
        candidates_ = impl::find_candidates(pool_, field_, places_, options_);
        if (options_.progress != nullptr) options_.progress->to_mesh = candidates_.size();
    }

    void mesh() {
        if (options_.keep == Keep::baked) world_.meshes.resize(candidates_.size());
        if (options_.keep == Keep::extracted) world_.extracted.resize(candidates_.size());
        WorkerLocal<WorkerShare> shares(pool_);
        parallel_for(pool_, std::size_t{0}, candidates_.size(), [&](std::size_t i) {
            if (!stopped()) mesh_chunk(i, shares.local());
        });
        world_.surface_by_worker.resize(static_cast<std::size_t>(pool_.worker_count()));
        shares.for_each([&](const WorkerShare& share) {
            const auto workers = static_cast<std::size_t>(pool_.worker_count());
            if (share.worker >= workers) world_.surface_by_worker.resize(workers + 1);
            world_.surface_by_worker[std::min(share.worker, workers)] += share.surface;
        });
    }

    void mesh_chunk(std::size_t candidate, WorkerShare& share) {
        const std::size_t place = candidates_[candidate];
        const auto [key, mask] = places_[place];
        ChunkContent& content = world_.contents[place];
        if (options_.keep == Keep::baked) {
            BakedChunk chunk = extract_baked(field_, key, mask, options_.extract, share.scratch);
            content = chunk.content;
            if (content == ChunkContent::surface) world_.meshes[candidate] = std::move(chunk.mesh);
        } else {
            ChunkMesh chunk = extract(field_, key, options_.extract, share.scratch);
            content = chunk.content;
            if (content == ChunkContent::surface) world_.extracted[candidate] = std::move(chunk);
        }
        if (content == ChunkContent::surface) ++share.surface;
        if (options_.progress != nullptr) options_.progress->meshed.fetch_add(1, std::memory_order_relaxed);
    }

    // Closes the gaps that candidates without a surface have left.
    void collect() {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            const ChunkContent content = world_.contents[candidates_[i]];
            world_.counts.sampled_empty += content == ChunkContent::empty ? 1 : 0;
            if (content != ChunkContent::surface) continue;
            if (options_.keep == Keep::baked) {
                if (kept != i) world_.meshes[kept] = std::move(world_.meshes[i]);
                world_.vertices += world_.meshes[kept].positions.size();
                world_.triangles += world_.meshes[kept].indices.size() / 3;
            } else {
                if (kept != i) world_.extracted[kept] = std::move(world_.extracted[i]);
                world_.vertices += world_.extracted[kept].full_vertices;
                world_.triangles += world_.extracted[kept].regular.count / 3;
            }
            ++kept;
        }
        if (options_.keep == Keep::baked) world_.meshes.resize(kept);
        if (options_.keep == Keep::extracted) world_.extracted.resize(kept);
        world_.counts.surface = kept;
        world_.counts.rejected = world_.counts.total - kept - world_.counts.sampled_empty;
    }

    Pool& pool_;
    const Field& field_;
    const std::span<const PlacedChunk> places_;
    const WorldOptions& options_;
    std::vector<std::size_t> candidates_;  // places that bounds do not exclude
    WorldMesh world_;
};

}  // namespace

WorldMesh mesh_world(Pool& pool, const Field& field, std::span<const PlacedChunk> places, const WorldOptions& options) {
    // Also where every chunk is rejected, or there is none.
    samples_of({}, options.extract);
    std::optional<WorldMesh> world;
    impl::run_on_workers(pool, [&] { world = WorldRun(pool, field, places, options).run(); });
    return std::move(*world);
}

std::uint64_t content_hash(Pool& pool, const WorldMesh& world) {
    std::vector<std::uint64_t> hashes(world.meshes.size() + world.extracted.size());
    impl::run_on_workers(pool, [&] {
        parallel_for(pool, std::size_t{0}, hashes.size(), [&](std::size_t i) {
            hashes[i] = i < world.meshes.size() ? content_hash(world.meshes[i])
                                                : content_hash(world.extracted[i - world.meshes.size()]);
        });
    });
    impl::ContentHasher hasher;
    hasher.add(std::uint64_t{hashes.size()});
    for (const std::uint64_t hash : hashes) hasher.add(hash);
    return hasher.value();
}

}  // namespace quarry::terrain
