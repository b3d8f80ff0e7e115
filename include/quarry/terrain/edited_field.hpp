#pragma once

#include <memory>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"

namespace quarry::terrain {

namespace edits {
struct Snapshot;
}

// A field with edits, as an EditWorld had them at one moment.
//
// At the points of the edits' lattice it has the edited densities, else those of the field below. Between points of
// which some are edited it interpolates along x, y and z. Gradients beside edited points come from differences of
// edited samples that are one spacing apart; along an axis on which there are none, from the field below.
class QUARRY_API EditedField final : public Field {
  public:
    // For EditWorld.
    explicit EditedField(std::shared_ptr<const edits::Snapshot> snapshot) noexcept;
    ~EditedField() override;

    void sample(const SampleBlock& block, float* out) const override;
    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    bool prefers_gradients(double spacing) const noexcept override;
    double reach() const noexcept override;

    // The field below.
    const Field& ground() const noexcept;

    // For what reads the bricks themselves.
    const edits::Snapshot& snapshot() const noexcept { return *snapshot_; }

  private:
    std::shared_ptr<const edits::Snapshot> snapshot_;
};

}  // namespace quarry::terrain
