#include "preview/atmosphere.hpp"

#include <cmath>

#include "preview/noise.hpp"

namespace quarry::app::preview {

Atmosphere::Atmosphere(Vec to_sun, float ground, float reach, float haze)
    : to_sun_(normalised(to_sun)), ground_(ground), thinning_(3 / reach) {
    // The lower the sun, the longer its way through the air, which takes the blue first.
    const float height = clamp01(to_sun_.y);
    const float way = 1 / (height + 0.12F);
    sunlight_ = Vec{std::exp(-0.05F * way), std::exp(-0.15F * way), std::exp(-0.32F * way)} * 4.2F;
    zenith_ = mix(Vec{0.10F, 0.19F, 0.40F}, Vec{0.13F, 0.29F, 0.66F}, height);
    horizon_ = mix(Vec{0.72F, 0.62F, 0.56F}, Vec{0.66F, 0.74F, 0.84F}, smooth_step(0.1F, 0.7F, height));
    glow_ = sunlight_ * 0.28F;
    density_ = -std::log(1 - std::min(haze, 0.99F)) / reach;
}

Vec Atmosphere::sky(Vec direction) const noexcept {
    const float up = std::max(direction.y, 0.0F);
    const float low = (1 - up) * (1 - up);
    Vec colour = mix(zenith_, horizon_, low * low * (0.35F + 0.65F * low));
    const float towards = std::max(dot(direction, to_sun_), 0.0F);
    const float narrow = towards * towards * towards;
    const float halo = narrow * narrow * 0.22F + std::pow(towards, 48.0F) * 0.55F;
    // Opposite to the sun the horizon is cooler.
    const float away = std::max(-dot(direction, to_sun_), 0.0F) * low;
    colour = mix(colour, Vec{0.42F, 0.46F, 0.62F}, away * 0.5F);
    return colour + glow_ * (halo * (0.35F + 0.65F * low));
}

Vec Atmosphere::sky_with_clouds(Vec direction) const noexcept {
    Vec colour = sky(direction);
    const float towards = std::max(dot(direction, to_sun_), 0.0F);
    colour += sunlight_ * (smooth_step(0.99955F, 0.99985F, towards) * 8);
    if (direction.y < 0.015F) return colour;
    // A flat layer, drawn out along one direction by the wind.
    const float per_height = 1 / (direction.y + 0.07F);
    const Vec place{direction.x * per_height * 0.55F + direction.z * per_height * 0.25F, 3.7F,
                    direction.z * per_height * 1.5F - direction.x * per_height * 0.7F};
    float sum = 0;
    float weight = 0.5F;
    float frequency = 1;
    for (int octave = 0; octave < 5; ++octave) {
        // Shifted by the coarser octaves, which curls the fine ones.
        const Vec at = place * frequency + Vec{sum * 0.9F, static_cast<float>(octave) * 7.1F, -sum * 0.6F};
        sum += noise_at(at).value * weight;
        weight *= 0.55F;
        frequency *= 2.1F;
    }
    const float cover = smooth_step(0.0F, 0.75F, sum + 0.1F) * smooth_step(0.015F, 0.2F, direction.y) * 0.75F;
    const Vec lit = mix(sunlight_ * 0.23F + Vec{0.10F, 0.11F, 0.14F}, sunlight_ * 0.42F, towards * towards);
    return mix(colour, lit, cover);
}

Vec Atmosphere::through_air(Vec colour, Vec from, Vec direction, float distance) const noexcept {
    // The air's density, exp(-height * thinning), along a straight line has this mean.
    const float start = (from.y - ground_) * thinning_;
    const float rise = direction.y * distance * thinning_;
    const float mean = std::abs(rise) > 1e-3F ? (1 - std::exp(-std::clamp(rise, -30.0F, 30.0F))) / rise : 1 - rise / 2;
    const float depth = density_ * distance * std::exp(-std::clamp(start, -4.0F, 30.0F)) * mean;
    const Vec kept{std::exp(-0.72F * depth), std::exp(-0.92F * depth), std::exp(-1.30F * depth)};
    const Vec flat = normalised({direction.x, std::max(direction.y, 0.0F) + 0.03F, direction.z});
    const Vec air = sky(flat) * 0.92F;
    return colour * kept + air * (Vec{1, 1, 1} - kept);
}

}  // namespace quarry::app::preview
