#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/terrain/edit.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/fwd.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain {

// Solid lattice points belong together where they are neighbours along an axis. What has more points than this counts
// as ground, whatever it rests on. The number is part of what EditKind::remove means.
inline constexpr std::uint64_t kMostLooseSamples = 262'144;

// A piece of solid ground that hangs together with nothing else.
struct LoosePart {
    Box box{};                  // holds all of its solid points
    std::uint64_t samples = 0;  // solid lattice points, at most kMostLooseSamples
    Position inside{};          // one of them: the lowest by z, then y, then x

    // The part alone, with nothing around it: to be meshed, or to fall.
    std::shared_ptr<const EditedField> field;

    // Takes the part out of the ground, as an edit that can be undone and sent to others.
    Edit removal(std::uint16_t editor, std::uint32_t stroke) const noexcept {
        return {.kind = EditKind::remove, .editor = editor, .stroke = stroke, .at = inside};
    }
};

// All parts with a point in or next to one of the boxes: what an edit can have cut off, given EditReport::changed.
// Takes time for at most some multiples of kMostLooseSamples points, whatever the size of the world; may be called on
// any thread. The order is that of `inside`. Throws std::invalid_argument for a box of more than kMostEditSamples
// points.
QUARRY_API std::vector<LoosePart> find_loose_parts(const EditedField& field, std::span<const Box> boxes);

// The surface of a part alone, as the meshes of the chunks of LOD 0 that it lies in.
QUARRY_API std::vector<Mesh> mesh_loose_part(const LoosePart& part, const ExtractOptions& options);

// Looks for parts behind edits, by jobs of Lane::background, one at a time. All calls come from one thread. The pool
// outlives it.
class LoosePartFinder {
  public:
    // Its jobs run on that pool.
    QUARRY_API explicit LoosePartFinder(Pool& pool);
    LoosePartFinder(const LoosePartFinder&) = delete;
    LoosePartFinder& operator=(const LoosePartFinder&) = delete;
    // Waits for the job.
    QUARRY_API ~LoosePartFinder();

    // After an edit: the ground as it is now, and what has changed. Never waits.
    QUARRY_API void look(std::shared_ptr<const EditedField> field, const Box& changed);
    // Once a frame: parts that were found since the last call. They were loose in the ground that was looked at; a
    // removal of what is no longer loose changes nothing. Never waits. Rethrows what a search has thrown.
    QUARRY_API std::vector<LoosePart> take();
    // Whether something is still to be looked at.
    QUARRY_API bool is_busy() const noexcept;

  private:
    struct Search;
    std::unique_ptr<Search> search_;
};

}  // namespace quarry::terrain
