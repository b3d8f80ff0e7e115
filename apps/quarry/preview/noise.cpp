#include "preview/noise.hpp"

#include <algorithm>
#include <cstdint>

namespace quarry::app::preview {
namespace {

float random_at(std::int32_t x, std::int32_t y, std::int32_t z) noexcept {
    std::uint32_t h = static_cast<std::uint32_t>(x) * 0x9e3779b1U ^ static_cast<std::uint32_t>(y) * 0x85ebca77U ^
                      static_cast<std::uint32_t>(z) * 0xc2b2ae3dU;
    h = (h ^ (h >> 15)) * 0x2c1b3c6dU;
    h = (h ^ (h >> 13)) * 0x297a2d39U;
    h ^= h >> 16;
    return static_cast<float>(h >> 8) * (2.0F / 16'777'216.0F) - 1;
}

struct Ease {
    float share;
    float slope;
};

Ease ease(float t) noexcept {
    const float inside = clamp01(t);
    return {inside * inside * (3 - 2 * inside), 6 * inside * (1 - inside)};
}

// Far out the places are no longer a float apart; there the noise ends instead of overflowing.
std::int32_t cell_of(float place) noexcept {
    return rounded_down(std::clamp(place, -1e8F, 1e8F));
}

}  // namespace

Noise noise_at(Vec place) noexcept {
    const std::int32_t x = cell_of(place.x);
    const std::int32_t y = cell_of(place.y);
    const std::int32_t z = cell_of(place.z);
    const Ease ex = ease(place.x - static_cast<float>(x));
    const Ease ey = ease(place.y - static_cast<float>(y));
    const Ease ez = ease(place.z - static_cast<float>(z));
    struct Line {
        float value;
        float slope;
    };
    const auto along_x = [&](std::int32_t j, std::int32_t k) -> Line {
        const float low = random_at(x, y + j, z + k);
        const float high = random_at(x + 1, y + j, z + k);
        return {mix(low, high, ex.share), (high - low) * ex.slope};
    };
    const Line a = along_x(0, 0);
    const Line b = along_x(1, 0);
    const Line c = along_x(0, 1);
    const Line d = along_x(1, 1);
    const float near = mix(a.value, b.value, ey.share);
    const float far = mix(c.value, d.value, ey.share);
    return {mix(near, far, ez.share),
            {mix(mix(a.slope, b.slope, ey.share), mix(c.slope, d.slope, ey.share), ez.share),
             mix(b.value - a.value, d.value - c.value, ez.share) * ey.slope, (far - near) * ez.slope}};
}

}  // namespace quarry::app::preview
