#include "preview/ground.hpp"

#include <cmath>
#include <string_view>

#include "preview/noise.hpp"

namespace quarry::app::preview {
namespace {

constexpr int kOctaves = 6;
constexpr float kLongestWave = 48;  // in voxels
constexpr float kLowHills = 48;     // in voxels

float variation_of(Texture texture) noexcept {
    switch (texture) {
        case Texture::grass:
            return 0.16F;
        case Texture::rock:
            return 0.17F;
        case Texture::snow:
            return 0.03F;
        case Texture::even:
            break;
    }
    return 0.14F;
}

Texture texture_of(std::string_view name) noexcept {
    if (name == "grass") return Texture::grass;
    if (name == "rock") return Texture::rock;
    if (name == "snow") return Texture::snow;
    return Texture::even;
}

}  // namespace

Palette palette_of(std::span<const terrain::MaterialLook> looks) {
    Palette palette;
    if (looks.empty()) return palette;
    palette.of.clear();
    for (const terrain::MaterialLook& look : looks) {
        palette.of.push_back({{look.colour.red, look.colour.green, look.colour.blue}, texture_of(look.name)});
    }
    return palette;
}

GroundColours::GroundColours(const Palette& palette, const Geometry& geometry, float voxel)
    : palette_(palette),
      voxel_(voxel),
      // Ground that is nearly level is neither a valley nor a summit.
      height_(std::max(geometry.high.y - geometry.low.y, kLowHills * voxel)),
      low_(geometry.middle().y - height_ / 2) {}

std::array<GroundColours::Share, terrain::kMaterials> GroundColours::natural(Vec place, Vec normal) const noexcept {
    const float rough = noise_at(place * (1 / (24 * voxel_))).value;
    const float steep = smooth_step(0.86F, 0.68F, normal.y + rough * 0.06F);
    const float high = (place.y - low_) / height_ + rough * 0.05F;
    const float snow = smooth_step(0.70F, 0.80F, high) * smooth_step(0.55F, 0.75F, normal.y);
    const float earth = smooth_step(0.25F, 0.10F, high) * 0.7F;
    const float flat = (1 - steep) * (1 - snow);
    return {Share{0, flat * (1 - earth)}, Share{1, steep * (1 - snow)}, Share{2, snow}, Share{3, flat * earth}};
}

void GroundColours::colour(Ground& ground, std::span<const Share> materials, float width) const noexcept {
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
    // Layers of stone: bands of slightly other colours, not quite level.
    const float layer = noise_at({ground.place.x * 0.006F / voxel_, ground.place.y * 0.16F / voxel_ + patch * 0.8F,
                                  ground.place.z * 0.006F / voxel_})
                            .value;
    float rock = 0;
    float snow = 0;
    Vec albedo;
    for (const Share& each : materials) {
        if (each.share == 0) continue;
        const PaletteEntry entry = palette_.at(each.material);
        Vec colour = entry.colour * (1 + tint * variation_of(entry.texture));
        switch (entry.texture) {
            case Texture::grass:
                colour = colour * Vec{1 + patch * 0.35F, 1 + patch * 0.10F, 1};
                break;
            case Texture::rock:
                colour = colour * (Vec{1, 1, 1} + Vec{0.30F, 0.24F, 0.18F} * (layer + patch * 0.6F));
                rock += each.share;
                break;
            case Texture::snow:
                snow += each.share;
                break;
            case Texture::even:
                break;
        }
        albedo += colour * each.share;
    }
    ground.albedo = greatest(albedo, {0.01F, 0.01F, 0.01F});
    const float rough = 0.35F + 0.65F * rock - 0.25F * snow;
    ground.normal = normalised(ground.smooth - bumps * rough);
}

}  // namespace quarry::app::preview
