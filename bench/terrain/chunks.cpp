#include "terrain/chunks.hpp"

#include <algorithm>
#include <future>
#include <span>
#include <stdexcept>
#include <string>

#include <quarry/jobs/parallel_for.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/extract.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/surface_samples.hpp>
#include <quarry/terrain/world.hpp>

#include "terrain/stopwatch.hpp"

namespace quarry::bench {
namespace {

using namespace terrain;

constexpr double kChunkSeconds = 0.1;
constexpr std::size_t kPasses = 10;
constexpr double kExtractSeconds = 0.05;
constexpr std::size_t kMostSurfaceChunks = 96;

const NoiseField& world_field() {
    static const NoiseField field;
    return field;
}

std::vector<ChunkKey> surface_candidates(std::int32_t lod) {
    std::vector<ChunkKey> keys;
    for (const PlacedChunk& place : sphere_world(kWorldRadius, {.lod = lod})) {
        if (world_field().bounds(box_of(samples_of(place.key, {}))).may_have_surface()) keys.push_back(place.key);
    }
    return keys;
}

}  // namespace

SurfaceChunks::SurfaceChunks(std::int32_t lod) : lod_(lod) {
    const std::vector<ChunkKey> candidates = surface_candidates(lod);
    const std::size_t stride = candidates.size() / kMostSurfaceChunks + 1;
    for (std::size_t i = 0; i < candidates.size(); i += stride) add(candidates[i]);
    if (keys_.empty()) throw std::runtime_error("no surface chunk at LOD " + std::to_string(lod));
}

void SurfaceChunks::add(const ChunkKey& key) {
    if (extract(world_field(), key).content == ChunkContent::surface) keys_.push_back(key);
}

void SurfaceChunks::extract_all() const {
    for (const ChunkKey& key : keys_) {
        std::size_t vertices = extract(world_field(), key).positions.size();
        keep(vertices);
    }
}

void SurfaceChunks::sample_all(std::vector<float>& samples) const {
    for (const ChunkKey& key : keys_) {
        const SampleBlock block = samples_of(key, {});
        samples.resize(block.size());
        std::size_t rows = sample_near_surface(world_field(), block, samples.data());
        keep(rows);
    }
}

void SurfaceChunks::measure(RowContext& context) const {
    std::vector<float> samples;
    Stopwatch all;
    Stopwatch sampling;
    // In turns, so that a noisy moment does not end up in the difference.
    int rounds = 0;
    for (; rounds == 0 || all.seconds() < kExtractSeconds; ++rounds) {
        all.time([&] { extract_all(); });
        sampling.time([&] { sample_all(samples); });
    }
    const double chunks = rounds * static_cast<double>(keys_.size());
    const std::string name = "lod" + std::to_string(lod_);
    context.add(name, chunks / all.seconds());
    context.answer.add(name + "_sampling", "us", sampling.seconds() / chunks * 1e6);
    context.answer.add(name + "_meshing", "us", (all.seconds() - sampling.seconds()) / chunks * 1e6);
}

namespace {

// Eight by eight columns over the world; the surface runs through the chunks on either side of height 0.
std::vector<ChunkKey> shared_chunks() {
    std::vector<ChunkKey> keys;
    for (std::int32_t i = 0; i < 64; ++i) keys.push_back({0, 6 * (i % 8) - 21, i % 2 - 1, 6 * (i / 8) - 21});
    return keys;
}

// On the pool's workers and nobody else: a caller that waits in the pool would lend a hand.
template <class F>
void run_on_workers(Pool& pool, F&& f) {
    std::promise<void> done;
    pool.submit([&] {
        f();
        done.set_value();
    });
    done.get_future().wait();
}

}  // namespace

void measure_chunks(RowContext& context) {
    std::vector<ChunkKey> keys;
    std::size_t triangles = 0;
    for (const ChunkKey& key : shared_chunks()) {
        const ChunkMesh mesh = extract(world_field(), key);
        if (mesh.content != ChunkContent::surface) continue;
        keys.push_back(key);
        triangles += mesh.regular.count / 3;
    }
    Pool pool(context.workers);
    // Several times over, so that waking the workers and waiting for the last chunk weigh as little as for peers that
    // take longer.
    const auto mesh_all = [&] {
        parallel_for(pool, std::size_t{0}, kPasses * keys.size(), [&](std::size_t i) {
            std::size_t vertices = extract(world_field(), keys[i % keys.size()]).positions.size();
            keep(vertices);
        });
    };
    run_on_workers(pool, mesh_all);
    const double seconds = seconds_per_call(kChunkSeconds, [&] { run_on_workers(pool, mesh_all); });
    const auto count = static_cast<double>(keys.size());
    context.add("chunks", kPasses * count / seconds);
    context.answer.add("chunks_triangles", "triangles", static_cast<double>(triangles) / count);
}

}  // namespace quarry::bench
