#pragma once

#include <chrono>
#include <cstdint>

#include <quarry/process/handler.hpp>

#include "stress/work.hpp"

namespace quarry::app {

// What `quarry worker` can do beyond the handlers that every worker has: the jobs of stress and sync, and mesh_chunk.

inline constexpr const char* kStressJob = "stress";
struct StressJob {
    JobKind kind = JobKind::compute_heavy;
    std::uint64_t number = 0;
};

inline constexpr const char* kCpuWorkJob = "cpu_work";
struct CpuWorkJob {
    double rounds_per_nanosecond = 0;
    std::int64_t nanoseconds = 0;
};

// mesh_chunk: a field's JSON description is broadcast under kMeshFieldKey; a job is five int32 (lod, x, y, z, mask). It
// answers uint32 vertices, uint32 indices, then positions and normals (three floats each) and indices (uint32).
inline constexpr const char* kMeshChunkJob = "mesh_chunk";
inline constexpr const char* kMeshFieldKey = "mesh_chunk";

// bench_copy: uint32 bytes; answers so many, copied from memory that the worker has.
inline constexpr const char* kCopyJob = "bench_copy";

// Set in the environment of workers that are to break on demand.
inline constexpr const char* kFaultsVariable = "QUARRY_FAULTS";
inline constexpr const char* kFillMemoryJob = "fault_fill_memory";
inline constexpr const char* kGarbageJob = "fault_garbage";

void add_program_handlers(process::Registry& registry);

}  // namespace quarry::app
