#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/chunk_state.hpp"
#include "quarry/terrain/fwd.hpp"
#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain {

// What a streamer asks of the host. Uploads of a group may spread over frames; its show and its hide come one directly
// after the other, so that both belong to one frame. What the plan has left behind is hidden without a show.
struct StreamEvent {
    // What the host is to do.
    enum class Kind : std::uint8_t {
        upload,   // make what is needed to draw `mesh`, and do not draw it yet
        show,     // draw `chunks` from now on
        hide,     // do not draw `chunks` any more
        release,  // give up what upload made
        changed,  // edits within `box` are shown now: for whatever is built on the ground
    };

    Kind kind = Kind::upload;  // decides which of the members below are set

    // Of an upload or a release.
    ChunkId id{};
    ChunkKey key{};
    std::uint32_t mask = 0;            // the sides on which the neighbour is coarser
    Mesh* mesh = nullptr;              // of an upload; the host may move from it
    std::shared_ptr<void> prepared{};  // of an upload: what StreamerOptions::prepare made of the mesh

    // Of a show or a hide.
    std::span<const ChunkId> chunks{};
    std::uint64_t group = 0;  // show and hide of one group have the same number
    float fade = 0;           // seconds that a cross-fade should take; 0 where nothing is replaced
    // More of the same change follows in the same delivery: a whole world is exchanged, or what edits have touched.
    bool more = false;

    // Of a change.
    Box box{};                // world units
    std::uint64_t edits = 0;  // calls of Streamer::edit
};

// A group has no more chunks than this, those that are shown and those that are hidden together.
inline constexpr std::uint32_t kMostInGroup = 64;

}  // namespace quarry::terrain
