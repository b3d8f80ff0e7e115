#pragma once

#include <memory>

#include "quarry/export.hpp"
#include "quarry/terrain/materials.hpp"

namespace quarry::terrain {

namespace edits {
struct Snapshot;
}

// Paint over other materials, as an EditWorld had it at one moment. Paint lies on every second lattice point along each
// axis and is interpolated in between.
class QUARRY_API EditedMaterials final : public Materials {
  public:
    // For EditWorld. Throws std::invalid_argument without materials below.
    EditedMaterials(std::shared_ptr<const edits::Snapshot> snapshot, std::shared_ptr<const Materials> below);
    ~EditedMaterials() override;

    void weights(std::span<const Position> places, std::span<const Vector3> normals,
                 std::span<MaterialWeights> out) const override;
    std::size_t count() const noexcept override { return below_->count(); }
    void mixes(std::span<const Position> places, std::span<const Vector3> normals,
               std::span<MaterialMix> out) const override;

  private:
    std::shared_ptr<const edits::Snapshot> snapshot_;
    std::shared_ptr<const Materials> below_;
};

}  // namespace quarry::terrain
