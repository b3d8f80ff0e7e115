#include "terrain/chunks.hpp"

#include <atomic>
#include <future>
#include <span>
#include <stdexcept>
#include <string>

#include <quarry/jobs/parallel_for.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/extract.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/surface_samples.hpp>

namespace quarry::bench {
namespace {

using namespace terrain;

constexpr double kSeconds = 0.02;
constexpr std::size_t kMostChunks = 96;
constexpr double kChunkWidth = 32;

const NoiseField& world_field() {
    static const NoiseField field;
    return field;
}

std::vector<ChunkKey> surface_candidates(std::int32_t lod) {
    std::vector<ChunkKey> keys;
    for (const ChunkKey& key : chunks_of_world(lod)) {
        if (world_field().bounds(box_of(samples_of(key, {}))).may_have_surface()) keys.push_back(key);
    }
    return keys;
}

// As extract takes them.
Position in_world(const SampleBlock& block, const Vector3& at) {
    const auto coordinate = [&](std::int32_t first, float local) {
        return first + static_cast<double>(local) * block.step;
    };
    return {coordinate(block.first.x, at.x), coordinate(block.first.y, at.y), coordinate(block.first.z, at.z)};
}

}  // namespace

std::vector<ChunkKey> chunks_of_world(std::int32_t lod) {
    const double width = kChunkWidth * (1 << lod);
    const auto reach = static_cast<std::int32_t>(kWorldRadius / width) + 1;
    std::vector<ChunkKey> keys;
    for (std::int32_t z = -reach; z < reach; ++z) {
        for (std::int32_t y = -reach; y < reach; ++y) {
            for (std::int32_t x = -reach; x < reach; ++x) {
                const double cx = (x + 0.5) * width;
                const double cy = (y + 0.5) * width;
                const double cz = (z + 0.5) * width;
                if (cx * cx + cy * cy + cz * cz <= kWorldRadius * kWorldRadius) keys.push_back({lod, x, y, z});
            }
        }
    }
    return keys;
}

SurfaceChunks::SurfaceChunks(std::int32_t lod) : lod_(lod) {
    const std::vector<ChunkKey> candidates = surface_candidates(lod);
    const std::size_t stride = candidates.size() / kMostChunks + 1;
    for (std::size_t i = 0; i < candidates.size(); i += stride) add(candidates[i]);
    if (keys_.empty()) throw std::runtime_error("no surface chunk at LOD " + std::to_string(lod));
}

void SurfaceChunks::add(const ChunkKey& key) {
    const ChunkMesh mesh = extract(world_field(), key);
    if (mesh.content != ChunkContent::surface) return;
    const SampleBlock block = samples_of(key, {});
    Normals normals;
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        (i < mesh.full_vertices ? normals.own : normals.half).push_back(in_world(block, mesh.positions[i]));
    }
    for (const Vector3& at : mesh.moved_positions) normals.own.push_back(in_world(block, at));
    keys_.push_back(key);
    normals_.push_back(std::move(normals));
}

double SurfaceChunks::extract_seconds() const {
    return seconds_per_call(kSeconds, [&] {
        for (const ChunkKey& key : keys_) {
            std::size_t vertices = extract(world_field(), key).positions.size();
            keep(vertices);
        }
    });
}

double SurfaceChunks::sampling_seconds() const {
    std::vector<float> samples(samples_of(keys_.front(), {}).size());
    return seconds_per_call(kSeconds, [&] {
        for (const ChunkKey& key : keys_) {
            std::size_t rows = sample_near_surface(world_field(), samples_of(key, {}), samples.data());
            keep(rows);
        }
    });
}

double SurfaceChunks::normals_seconds() const {
    const double spacing = 1 << lod_;
    std::vector<Gradient> gradients;
    return seconds_per_call(kSeconds, [&] {
        for (const Normals& each : normals_) {
            gradients.resize(std::max({gradients.size(), each.own.size(), each.half.size()}));
            const std::span<Gradient> out(gradients);
            world_field().gradients(each.own, spacing, out.first(each.own.size()));
            if (!each.half.empty()) world_field().gradients(each.half, 2 * spacing, out.first(each.half.size()));
        }
    });
}

void SurfaceChunks::measure(Answer& answer) const {
    const auto count = static_cast<double>(keys_.size());
    const double all = extract_seconds() / count;
    const double sampling = sampling_seconds() / count;
    const double normals = normals_seconds() / count;
    const std::string name = "lod" + std::to_string(lod_);
    answer.add(name, "chunks/s", 1 / all);
    answer.add(name + "_sampling", "us", sampling * 1e6);
    answer.add(name + "_normals", "us", normals * 1e6);
    answer.add(name + "_meshing", "us", (all - sampling - normals) * 1e6);
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

void measure_chunks(int workers, Answer& answer) {
    std::vector<ChunkKey> keys;
    std::size_t triangles = 0;
    for (const ChunkKey& key : shared_chunks()) {
        const ChunkMesh mesh = extract(world_field(), key);
        if (mesh.content != ChunkContent::surface) continue;
        keys.push_back(key);
        triangles += mesh.regular.count / 3;
    }
    Pool pool(workers);
    const auto mesh_all = [&] {
        parallel_for(pool, std::size_t{0}, keys.size(), [&](std::size_t i) {
            std::size_t vertices = extract(world_field(), keys[i]).positions.size();
            keep(vertices);
        });
    };
    run_on_workers(pool, mesh_all);
    const double seconds = seconds_per_call(5 * kSeconds, [&] { run_on_workers(pool, mesh_all); });
    const auto count = static_cast<double>(keys.size());
    answer.add("chunks", "chunks/s", count / seconds);
    answer.add("chunks_triangles", "triangles", static_cast<double>(triangles) / count);
}

}  // namespace quarry::bench
