#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"

namespace quarry::terrain {

namespace impl {
class Chain;
struct LazyChain;
}  // namespace impl

// unite: solid where either is. intersect: where both are. subtract: where the first is and the second is not.
enum class Combination { unite, intersect, subtract };

// Two fields as one. With a blend above 0 the two run into each other where their densities differ by less than it.
//
// Combinations of combinations are cheap, however many there are: when the outermost one is first asked for something,
// it makes a list of all fields below it and a tree of boxes of those that end somewhere (Field::extent). Then only
// fields that matter at a place are looked at there.
class QUARRY_API CombinedField final : public Field {
  public:
    // Throws std::invalid_argument for a missing field and for a blend outside 0 .. 1e6.
    CombinedField(Combination combination, std::shared_ptr<const Field> first, std::shared_ptr<const Field> second,
                  double blend = 0);
    CombinedField(const CombinedField&) = delete;
    CombinedField& operator=(const CombinedField&) = delete;
    ~CombinedField() override;

    void sample(const SampleBlock& block, float* out) const override;
    void sample_surface(const SampleBlock& block, float* out) const override;
    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    double reach() const noexcept override { return reach_; }
    std::optional<Box> extent() const override { return extent_; }
    std::shared_ptr<const Field> within(const Box& box) const override;

    // As given to the constructor.
    Combination combination() const noexcept { return combination_; }
    // As given to the constructor.
    const std::shared_ptr<const Field>& first() const noexcept { return first_; }
    // As given to the constructor.
    const std::shared_ptr<const Field>& second() const noexcept { return second_; }
    // As given to the constructor.
    double blend() const noexcept { return blend_; }
    // How many fields that are no combinations are in it.
    std::uint64_t size() const noexcept { return size_; }

  private:
    const impl::Chain& chain() const;

    // Taken away from a combination that is about to go.
    mutable std::shared_ptr<const Field> first_;
    mutable std::shared_ptr<const Field> second_;
    mutable std::shared_ptr<impl::LazyChain> chain_;
    Combination combination_;
    double blend_;
    double reach_;
    std::uint64_t size_;
    std::optional<Box> extent_;
};

}  // namespace quarry::terrain
