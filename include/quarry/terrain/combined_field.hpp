#pragma once

#include <memory>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"

namespace quarry::terrain {

// unite: solid where either is. intersect: where both are. subtract: where the first is and the second is not.
enum class Combination { unite, intersect, subtract };

// Two fields as one. With a blend above 0 the two run into each other where their densities differ by less than it.
class QUARRY_API CombinedField final : public Field {
  public:
    // Throws std::invalid_argument for a missing field and for a blend outside 0 .. 1e6.
    CombinedField(Combination combination, std::shared_ptr<const Field> first, std::shared_ptr<const Field> second,
                  double blend = 0);

    void sample(const SampleBlock& block, float* out) const override;
    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    double reach() const noexcept override { return reach_; }

  private:
    float combine(float first, float second) const noexcept;

    std::shared_ptr<const Field> first_;
    std::shared_ptr<const Field> second_;
    // All are a smooth minimum: intersections of the negated fields, subtractions with only the first negated.
    float first_sign_;
    float second_sign_;
    float blend_;
    double reach_;
};

}  // namespace quarry::terrain
