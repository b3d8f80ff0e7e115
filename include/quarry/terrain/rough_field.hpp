#pragma once

#include <memory>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/impl/known_range.hpp"
#include "quarry/terrain/noise_field.hpp"

namespace quarry::terrain {

// A field with a rough skin: density = field - amplitude * fBm(x, y, z). Costs far less than a warp, since the field is
// still sampled on the lattice. Where the noise is steeper than the field, the ground overhangs.
class QUARRY_API RoughField final : public Field {
  public:
    // Throws std::invalid_argument for a missing field and an option of the noise out of range. The offset is not used.
    RoughField(std::shared_ptr<const Field> field, const NoiseOptions& noise);

    void sample(const SampleBlock& block, float* out) const override;
    void sample_surface(const SampleBlock& block, float* out) const override;
    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    Interval range(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    double reach() const noexcept override;
    std::optional<Box> extent() const override;
    std::shared_ptr<const Field> within(const Box& box) const override;

  private:
    // The noise over some planes of a block is added to what is there, where that may matter for the surface.
    void add_near_surface(const SampleBlock& block, std::int32_t first, std::int32_t planes, Interval skin,
                          float* out) const;

    std::shared_ptr<const Field> field_;
    double amplitude_ = 0;
    impl::NoiseSum sum_;
    impl::KnownRange known_;  // of the noise
};

}  // namespace quarry::terrain
