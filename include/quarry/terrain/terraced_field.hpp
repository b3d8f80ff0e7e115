#pragma once

#include <memory>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"

namespace quarry::terrain {

// How high and how level terraces are.
struct TerraceOptions {
    double step = 8;        // height of a terrace, in world units; 1e-3 .. 1e6
    double offset = 0;      // height of one terrace; -1e6 .. 1e6
    double flatness = 0.8;  // 0 .. 1: 0 leaves the ground as it is, 1 makes it level
};

// Throws std::invalid_argument that names the option and its range.
QUARRY_API void check(const TerraceOptions& options);

// Ground in steps. What a density says of the ground's height, h = y - density, is pulled to the height of the nearest
// terrace: density = y - curve(h), where the curve is level at terraces and steep between them.
class QUARRY_API TerracedField final : public Field {
  public:
    // Throws std::invalid_argument for a missing field and as check does.
    explicit TerracedField(std::shared_ptr<const Field> field, const TerraceOptions& options = {});

    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    double reach() const noexcept override { return field_->reach(); }
    std::shared_ptr<const Field> within(const Box& box) const override;

  private:
    double curve(double height) const noexcept;
    double curve_slope(double height) const noexcept;

    std::shared_ptr<const Field> field_;
    TerraceOptions options_;
};

}  // namespace quarry::terrain
