#pragma once

#include <memory>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/heightmap.hpp"

namespace quarry::terrain {

// Where a heightmap lies in the world.
struct HeightmapOptions {
    double pixel_size = 1;      // world units from one pixel to the next; 1e-3 .. 1e6
    double height_scale = 256;  // from black to white, in world units; -1e6 .. 1e6
    double offset = 0;          // the height of black, in world units; -1e6 .. 1e6
    double origin_x = 0;        // where the middle of the first pixel of the first row lies; -1e9 .. 1e9
    double origin_z = 0;        // -1e9 .. 1e9
};

// Throws std::invalid_argument that names the option and its range.
QUARRY_API void check(const HeightmapOptions& options);

// The ground of a heightmap: density = y - offset - height_scale * value(x, z) / 65535. Pixels lie along x, rows along
// z; between the middles of pixels the value is bilinear, beyond the last ones it stays what it is there.
//
// Gradients are mean slopes over one spacing, of the picture reduced so that its pixels are no smaller than half a
// spacing: far terrain does not sparkle, and shading does not show the pixels.
class QUARRY_API HeightmapField final : public Field {
  public:
    // Throws std::invalid_argument for a missing map and as check does.
    explicit HeightmapField(std::shared_ptr<const Heightmap> map, const HeightmapOptions& options = {});

    void sample(const SampleBlock& block, float* out) const override;
    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;

  private:
    std::shared_ptr<const Heightmap> map_;
    HeightmapOptions options_;
    float unit_;  // the height of the value 1
};

}  // namespace quarry::terrain
