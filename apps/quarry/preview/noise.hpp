#pragma once

#include "preview/vector.hpp"

namespace quarry::app::preview {

struct Noise {
    float value = 0;  // -1 .. 1
    Vec slope;        // how it changes along each axis
};

// Smooth random values; one wave a unit. For small variations of colours and clouds only: terrain has its own noise.
Noise noise_at(Vec place) noexcept;

}  // namespace quarry::app::preview
