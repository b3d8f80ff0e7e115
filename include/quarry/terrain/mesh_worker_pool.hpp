#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/fwd.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain {

// All that a worker needs to make one chunk.
struct MeshRequest {
    ChunkKey key;                          // coordinate and LOD
    std::uint32_t mask = 0;                // the sides on which the neighbour is coarser
    std::shared_ptr<const Field> field{};  // shared with the worker until the mesh is made
    double voxel_size = 1;                 // world units of a cell at LOD 0
    std::int32_t cells = 32;               // along each axis of the chunk: even, 4 to 62
    double distance = 0;  // the nearest request is begun first; equal ones in the order in which they came
};

// What a request gave.
struct MeshResult {
    ChunkKey key;                                   // as in the request
    std::uint32_t mask = 0;                         // as in the request
    double distance = 0;                            // as in the request
    ChunkContent content = ChunkContent::rejected;  // whether there is a surface
    Mesh mesh;                                      // where the content is a surface
    std::exception_ptr error;  // why there is no mesh: the field threw, or the request was out of range
};

// Threads that mesh chunks, for hosts with chunk logic of their own; see Streamer for one that has it. Each request
// that is accepted gives exactly one result, in time. Workers never call the host. All calls come from the thread that
// made the pool; on another one they throw quarry::Error.
class MeshWorkerPool {
  public:
    // threads, 0 to Pool::kMostWorkers: 0 is one for each usable CPU. channel_capacity, 1 to 1,048,576: requests that
    // wait for a worker, and results that are being made or wait for the host. Throws std::invalid_argument.
    QUARRY_API explicit MeshWorkerPool(int threads = 0, std::size_t channel_capacity = 256);
    MeshWorkerPool(const MeshWorkerPool&) = delete;
    MeshWorkerPool& operator=(const MeshWorkerPool&) = delete;
    // Requests that no worker has begun are dropped; waits for the chunks in hand.
    QUARRY_API ~MeshWorkerPool();

    // False: so many requests wait already, and the request is untouched. Never waits. Throws std::invalid_argument for
    // a request without a field.
    [[nodiscard]] QUARRY_API bool try_request(MeshRequest&& request);
    // Waits for room. Results that come meanwhile are kept for try_result, beyond the capacity if need be: else a host
    // that requests first and asks for results later would wait for ever.
    QUARRY_API void request(MeshRequest request);
    // The nearest result that there is. Never waits.
    [[nodiscard]] QUARRY_API std::optional<MeshResult> try_result();

    // Requests whose results were not taken yet.
    QUARRY_API std::size_t open() const noexcept;
    QUARRY_API int threads() const noexcept;
    // For figures: which worker did how much.
    QUARRY_API const Pool& pool() const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace quarry::terrain
