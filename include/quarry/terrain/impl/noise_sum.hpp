#pragma once

#include <array>
#include <cstdint>

namespace quarry::terrain::impl {

inline constexpr int kMostOctaves = 16;

// |noise| never exceeds this, rounding included; src/terrain/noise/README.md has the proof.
inline constexpr float kNoiseLimit = 0.9952F;

struct Octave {
    double frequency = 0;    // lattice cells per world unit
    float weight = 0;        // of this octave's noise in the sum
    std::uint32_t seed = 0;  // of this octave's gradients
};

// The sum over octaves of weight * noise, or of weight * (1 - 2 * |noise|) where ridged.
struct NoiseSum {
    std::array<Octave, kMostOctaves> octaves{};
    int count = 0;
    bool ridged = false;
};

}  // namespace quarry::terrain::impl
