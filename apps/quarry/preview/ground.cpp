#include "preview/ground.hpp"

#include <cmath>

#include "preview/noise.hpp"

namespace quarry::app::preview {
namespace {

constexpr int kOctaves = 6;
constexpr float kLongestWave = 48;  // in voxels

}  // namespace

GroundColours::GroundColours(const Palette& palette, const Geometry& geometry, float voxel)
    : palette_(palette),
      voxel_(voxel),
      low_(geometry.low.y),
      height_(std::max(geometry.high.y - geometry.low.y, voxel)) {}

GroundColours::Shares GroundColours::natural(Vec place, Vec normal) const noexcept {
    const float rough = noise_at(place * (1 / (24 * voxel_))).value;
    const float steep = smooth_step(0.86F, 0.68F, normal.y + rough * 0.06F);
    const float high = (place.y - low_) / height_ + rough * 0.05F;
    const float snow = smooth_step(0.70F, 0.80F, high) * smooth_step(0.55F, 0.75F, normal.y);
    const float earth = smooth_step(0.25F, 0.10F, high) * 0.7F;
    const float flat = (1 - steep) * (1 - snow);
    return {flat * (1 - earth), steep * (1 - snow), snow, flat * earth};
}

void GroundColours::colour(Ground& ground, const Shares& materials, float width) const noexcept {
    float tint = 0;
    float patch = 0;
    Vec bumps;
    float wave = kLongestWave * voxel_;
    float weight = 1;
    for (int octave = 0; octave < kOctaves; ++octave) {
        const float shown = 1 - smooth_step(wave * 0.2F, wave * 0.5F, width);
        if (shown <= 0) break;
        const Noise noise = noise_at(ground.place * (1 / wave) + Vec{0, static_cast<float>(octave) * 17.3F, 0});
        if (octave < 2) patch += noise.value * 0.5F;
        tint += noise.value * weight * shown;
        if (wave < 7 * voxel_) bumps += noise.slope * (shown * 0.13F);
        wave *= 0.5F;
        weight *= 0.72F;
    }
    const float rock = materials[1];
    const float snow = materials[2];
    // Layers of stone: bands of slightly other colours, not quite level.
    const float layer = noise_at({ground.place.x * 0.006F / voxel_, ground.place.y * 0.16F / voxel_ + patch * 0.8F,
                                  ground.place.z * 0.006F / voxel_})
                            .value;
    const std::array<float, terrain::kMaterials> varies{0.16F, 0.17F, 0.03F, 0.14F};
    Vec albedo;
    for (std::size_t i = 0; i < materials.size(); ++i) {
        Vec colour = palette_.of[i] * (1 + tint * varies[i]);
        if (i == 0) colour = colour * Vec{1 + patch * 0.35F, 1 + patch * 0.10F, 1};
        if (i == 1) colour = colour * (Vec{1, 1, 1} + Vec{0.30F, 0.24F, 0.18F} * (layer + patch * 0.6F));
        albedo += colour * materials[i];
    }
    ground.albedo = greatest(albedo, {0.01F, 0.01F, 0.01F});
    const float rough = 0.35F + 0.65F * rock - 0.25F * snow;
    ground.normal = normalised(ground.smooth - bumps * rough);
}

}  // namespace quarry::app::preview
