#pragma once

#include <memory>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"

namespace quarry::terrain {

// A field made larger or smaller, from the world's origin outwards: factor * density(p / factor), so that distances
// stay distances.
class QUARRY_API ScaledField final : public Field {
  public:
    // Throws std::invalid_argument for a missing field and for a factor outside 1e-3 .. 1e3.
    ScaledField(std::shared_ptr<const Field> field, double factor);

    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    double reach() const noexcept override;
    std::optional<Box> extent() const override;
    std::shared_ptr<const Field> within(const Box& box) const override;

  private:
    Box divided(const Box& box) const noexcept;

    std::shared_ptr<const Field> field_;
    double factor_;
};

}  // namespace quarry::terrain
