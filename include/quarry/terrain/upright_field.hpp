#pragma once

#include <cstdint>
#include <memory>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/impl/known_range.hpp"

namespace quarry::terrain {

// Ground without overhangs whose heights come from a field: density = y + factor * field(x, 0, z). The field is asked
// for one plane of a block only, so that a costly one, such as a warp, serves all of the block's layers.
class QUARRY_API UprightField final : public Field {
  public:
    // Throws std::invalid_argument for a missing field and a factor outside 1e-3 .. 1e3.
    explicit UprightField(std::shared_ptr<const Field> field, double factor = 1);

    void sample(const SampleBlock& block, float* out) const override;
    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    double reach() const noexcept override { return field_->reach(); }
    std::shared_ptr<const Field> within(const Box& box) const override;

  private:
    // The narrowest bounds of the field over a part of the plane y = 0.
    Interval range_in(const Box& flat) const;

    std::shared_ptr<const Field> field_;
    float factor_;
    std::uint64_t number_;    // of its own, shared by what within gives
    impl::KnownRange known_;  // of the field, at y = 0
};

}  // namespace quarry::terrain
