#pragma once

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/impl/known_range.hpp"
#include "quarry/terrain/noise_field.hpp"

namespace quarry::terrain {

// Hills without overhangs: density = y - offset - fBm(x, 0, z) * amplitude.
class QUARRY_API HeightField final : public Field {
  public:
    // Throws std::invalid_argument for an option out of range.
    explicit HeightField(const NoiseOptions& options = {});

    void sample(const SampleBlock& block, float* out) const override;
    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    Interval range(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    double reach() const noexcept override;
    std::shared_ptr<const Field> within(const Box& box) const override;

  private:
    NoiseOptions options_;
    impl::NoiseSum sum_;
    impl::KnownRange known_;  // at y = 0
};

}  // namespace quarry::terrain
