#pragma once

#include <memory>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"

namespace quarry::terrain {

// A field moved by a distance. Blocks are moved as a whole where that gives the bits of points, and point by point,
// which is slower, where the voxel size times a coordinate plus the origin is not exact.
class QUARRY_API TranslatedField final : public Field {
  public:
    // Throws std::invalid_argument for a missing field and for a distance beyond 1e9 on an axis.
    TranslatedField(std::shared_ptr<const Field> field, Position distance);

    void sample(const SampleBlock& block, float* out) const override;
    void sample_surface(const SampleBlock& block, float* out) const override;
    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    Interval range(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    double reach() const noexcept override { return reach_; }
    std::optional<Box> extent() const override;
    bool is_distance() const noexcept override { return field_->is_distance(); }
    std::shared_ptr<const Field> within(const Box& box) const override;

  private:
    SampleBlock moved_block(const SampleBlock& block) const noexcept;
    bool is_exact(const SampleBlock& block, const SampleBlock& moved) const noexcept;
    Box moved_box(const Box& box, double sign) const noexcept;

    std::shared_ptr<const Field> field_;
    Position distance_;
    double reach_;
};

}  // namespace quarry::terrain
