#pragma once

#include <cstdint>
#include <optional>

#include "quarry/terrain/lattice.hpp"
#include "quarry/terrain/raycast.hpp"

namespace quarry::terrain {

// Where an answer comes from.
enum class AnswerSource : std::uint8_t {
    patches,  // all that it depends on was at hand as patches
    field,    // none of it was: the field was asked, with its edits
    both,     // one here, the other there
};

// The first place along a ray that is solid.
struct RayAnswer {
    std::optional<RayHit> hit;                    // none: there is nothing solid within reach
    AnswerSource source = AnswerSource::patches;  // where the answer comes from
};

// The height of ground in a column.
struct GroundAnswer {
    std::optional<double> height;                 // world units; none: there is no ground
    AnswerSource source = AnswerSource::patches;  // where the answer comes from

    // Whether there is any.
    explicit operator bool() const noexcept { return height.has_value(); }
};

// Where a moving sphere is stopped.
struct SweepHit {
    double distance = 0;  // world units along the way; 0: it touches something where it begins
    Position centre{};    // of the sphere, then
    Position contact{};   // the place that it touches
    Position normal{};    // of length 1, from there to the centre; 0 for a sphere that begins within the ground
};

// How far a sphere can go.
struct SweepAnswer {
    std::optional<SweepHit> hit;                  // none: nothing stops it within reach
    AnswerSource source = AnswerSource::patches;  // where the answer comes from
};

}  // namespace quarry::terrain
