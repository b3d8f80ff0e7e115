#pragma once

#include <array>
#include <memory>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"

namespace quarry::terrain {

// A field turned around an axis through the world's origin, counter-clockwise seen from where the axis points to.
class QUARRY_API RotatedField final : public Field {
  public:
    // The axis need not have length 1. Throws std::invalid_argument for a missing field, an axis without a direction,
    // and degrees outside -360 .. 360.
    RotatedField(std::shared_ptr<const Field> field, Position axis, double degrees);

    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    double reach() const noexcept override;
    std::optional<Box> extent() const override;
    bool is_distance() const noexcept override { return field_->is_distance(); }
    std::shared_ptr<const Field> within(const Box& box) const override;

  private:
    using Matrix = std::array<std::array<double, 3>, 3>;

    // Turns a box, and gives the smallest box around what it has become.
    static Box turned(const Matrix& by, const Box& box) noexcept;

    std::shared_ptr<const Field> field_;
    Matrix forth_;  // from the field's own places to those of the world
    Matrix back_;
};

}  // namespace quarry::terrain
