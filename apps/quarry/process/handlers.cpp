#include "process/handlers.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <quarry/jobs/error.hpp>
#include <quarry/process/bytes.hpp>
#include <quarry/process/handlers.hpp>
#include <quarry/terrain/description.hpp>
#include <quarry/terrain/extract.hpp>
#include <sys/mman.h>
#include <sys/stat.h>

#include "tools/cpu_work.hpp"

namespace quarry::app {
namespace {

using process::ByteReader;
using process::JobContext;

void stress_job(JobContext& job) {
    const auto wanted = ByteReader(job.payload()).get<StressJob>();
    const std::uint32_t answer = run_job(wanted.kind, wanted.number);
    job.reply(std::as_bytes(std::span(&answer, 1)));
}

void cpu_work_job(JobContext& job) {
    const auto wanted = ByteReader(job.payload()).get<CpuWorkJob>();
    CpuWork(wanted.rounds_per_nanosecond).run(std::chrono::nanoseconds(wanted.nanoseconds));
}

// Keeps the field as long as its version stays.
class MeshChunk {
  public:
    void operator()(JobContext& job) {
        const auto state = job.state(kMeshFieldKey);
        if (!state) throw Error("mesh_chunk: no field has been broadcast under the key mesh_chunk");
        if (world_.field == nullptr || state->version != version_) {
            world_ = terrain::parse_description(
                {reinterpret_cast<const char*>(state->bytes.data()), state->bytes.size()}, ".");
            version_ = state->version;
        }
        ByteReader in(job.payload());
        terrain::ChunkKey key;
        for (std::int32_t* each : {&key.lod, &key.x, &key.y, &key.z}) *each = in.get<std::int32_t>();
        const auto mask = in.get<std::int32_t>();
        in.finish();
        terrain::ExtractOptions options;
        options.materials = world_.materials.get();
        write(job,
              terrain::extract_baked(*world_.field, key, static_cast<std::uint32_t>(mask), options, scratch()).mesh);
    }

  private:
    terrain::ExtractScratch& scratch() {
        if (scratch_ == nullptr) scratch_ = std::make_shared<terrain::ExtractScratch>();
        return *scratch_;
    }
    // Straight into the memory that the host will read.
    static void write(JobContext& job, const terrain::Mesh& mesh) {
        const std::size_t vertices = mesh.positions.size();
        const std::size_t vector_bytes = vertices * sizeof(terrain::Vector3);
        const std::array counts{static_cast<std::uint32_t>(vertices), static_cast<std::uint32_t>(mesh.indices.size())};
        std::byte* out =
            job.reply(sizeof counts + 2 * vector_bytes + mesh.indices.size() * sizeof(std::uint32_t)).data();
        std::memcpy(out, counts.data(), sizeof counts);
        out += sizeof counts;
        if (vertices == 0) return;
        std::memcpy(out, mesh.positions.data(), vector_bytes);
        std::memcpy(out + vector_bytes, mesh.normals.data(), vector_bytes);
        out += 2 * vector_bytes;
        for (std::size_t i = 0; i < mesh.indices.size(); ++i) {
            const std::uint32_t index = mesh.indices[i];
            std::memcpy(out + i * sizeof index, &index, sizeof index);
        }
    }

    std::uint64_t version_ = 0;
    terrain::Described world_;
    std::shared_ptr<terrain::ExtractScratch> scratch_;
};

void copy_job(JobContext& job) {
    static std::vector<std::byte> source;
    const auto bytes = ByteReader(job.payload()).get<std::uint32_t>();
    if (source.size() < bytes) source.assign(bytes, std::byte{1});
    std::memcpy(job.reply(std::size_t{bytes}).data(), source.data(), bytes);
}

void fill_memory(JobContext&) {
    // Not written to: a busy machine needs seconds to find real memory for all of it.
    std::vector<std::unique_ptr<char[]>> taken;
    for (;;) taken.push_back(std::make_unique_for_overwrite<char[]>(std::size_t{16} << 20));
}

// Nonsense over the rings of this worker, which begin at the first descriptor it was given.
void write_garbage(JobContext&) {
    constexpr int kSegment = 3;
    struct stat about {};
    fstat(kSegment, &about);
    const std::size_t bytes = std::min<std::size_t>(static_cast<std::size_t>(about.st_size), 256UL << 10);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, kSegment, 0);
    if (memory == MAP_FAILED) return;
    auto* words = static_cast<std::uint64_t*>(memory);
    std::uint64_t noise = 0x9e3779b97f4a7c15;
    for (std::size_t i = 0; i < bytes / sizeof noise; ++i) words[i] = noise = noise * 6364136223846793005ULL + 1;
}

}  // namespace

void add_program_handlers(process::Registry& registry) {
    process::add_builtin_handlers(registry);
    registry.add(kStressJob, stress_job);
    registry.add(kCpuWorkJob, cpu_work_job);
    registry.add(kCopyJob, copy_job);
    registry.add(kMeshChunkJob, MeshChunk());
    if (std::getenv(kFaultsVariable) != nullptr) {  // NOLINT(concurrency-mt-unsafe): nobody sets it
        registry.add(kFillMemoryJob, fill_memory);
        registry.add(kGarbageJob, write_garbage);
    }
}

}  // namespace quarry::app
