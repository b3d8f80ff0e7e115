#pragma once

#include <array>
#include <memory>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/noise_field.hpp"

namespace quarry::terrain {

// Domain warp: the density at p is the field's at p - amplitude * (fBm_x(p), fBm_y(p), fBm_z(p)), three sums of noise
// with the seeds 3 * seed, 3 * seed + 1 and 3 * seed + 2. The offset of the options is not used.
class QUARRY_API WarpedField final : public Field {
  public:
    // Throws std::invalid_argument for a missing field and as check(warp) does.
    WarpedField(std::shared_ptr<const Field> field, const NoiseOptions& warp);

    void sample(const SampleBlock& block, float* out) const override;
    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    Interval range(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    double reach() const noexcept override { return reach_; }
    std::optional<Box> extent() const override;
    std::shared_ptr<const Field> within(const Box& box) const override;

  private:
    // Where the places of the box come to lie.
    Box warped_box(const Box& box) const;

    std::shared_ptr<const Field> field_;
    std::array<impl::NoiseSum, 3> sums_;
    double amplitude_;
    double reach_;
};

}  // namespace quarry::terrain
