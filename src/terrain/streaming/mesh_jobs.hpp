#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "quarry/terrain/chunk_state.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/mesh.hpp"
#include "terrain/streaming/kept_mesh.hpp"

namespace quarry::terrain::streaming {

// What chunks of one world are made with; workers hold on to it.
struct MeshSource {
    std::shared_ptr<const Field> field;
    std::shared_ptr<const Materials> materials;
    ExtractOptions extract;
    std::function<std::shared_ptr<void>(const Mesh&)> prepare;  // may be empty
};

// A chunk to be made: extracted unless there is a kept mesh, then baked.
struct MeshJob {
    ChunkId id;
    ChunkKey key;
    std::uint32_t mask = 0;
    std::shared_ptr<const MeshSource> source;
    std::shared_ptr<KeptMesh> kept;
    ChunkKey rank_key;       // where it counts as being: all of a group are in one place
    double rank_factor = 1;  // of its distance
    bool urgent = false;     // an edit next to a viewer: goes before all others
};

// Kept small: it goes through the inbox.
struct MeshOutcome {
    ChunkId id;
    ChunkKey key;
    std::shared_ptr<const MeshSource> source;
    std::shared_ptr<KeptMesh> kept;
    bool was_extracted = false;
    std::unique_ptr<BakedMesh> baked;  // where there is a surface
    std::exception_ptr error;
    std::chrono::nanoseconds cost{};  // of an urgent one: what its thread has computed for it
};

// Does the work, on whatever thread. Errors come with the outcome.
MeshOutcome run(MeshJob job) noexcept;

// Of jobs that are urgent; others have no rank below 0.
inline constexpr double kUrgentRank = -1;

// Whoever carries out jobs. The streamer's own has a pool's workers; tests have one that ends jobs in any order.
// All calls come from the host's thread.
class MeshJobs {
  public:
    using Rank = std::function<double(const MeshJob&)>;

    virtual ~MeshJobs() = default;

    // The lowest rank is begun first.
    virtual void submit(MeshJob job, double rank) = 0;
    // Workers need not know of what was submitted before this is called; of urgent jobs they do. To wake one costs more
    // than all else about a job, and one that is awake tells the others.
    virtual void tell_workers() {}
    // True: it had not begun, and gives no outcome.
    virtual bool cancel(ChunkId id) = 0;
    // Ranks anew all that have not begun.
    virtual void reorder(const Rank& rank) = 0;
    // Adds what has begun and what has come out since the last call.
    virtual void collect(std::vector<ChunkId>& begun, std::vector<MeshOutcome>& outcomes) = 0;
    // Not begun.
    virtual std::size_t queued() const = 0;
    // Carries out the first urgent job that has not begun, on this thread. False: there is none.
    virtual bool run_urgent() { return false; }
    // Until an outcome can be collected, and no longer than that.
    virtual void wait_for_outcome(std::chrono::nanoseconds most) { (void)most; }
};

}  // namespace quarry::terrain::streaming
