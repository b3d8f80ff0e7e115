#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/terrain/covers.hpp"
#include "quarry/terrain/lattice.hpp"
#include "quarry/terrain/material_weights.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain {

// What the ground is made of at the vertices of a mesh.
//
// Like a field it has no state that changes, and depends on the place and the normal alone, with the same bits
// everywhere: chunks that share a vertex compute its weights each for itself.
class QUARRY_API Materials {
  public:
    Materials() = default;
    Materials(const Materials&) = default;
    Materials& operator=(const Materials&) = default;
    virtual ~Materials();

    // out[i] for the place (in the world) and the normal (of length 1) number i; the three are of equal size. Of a
    // world with more than four materials only the first four count here.
    virtual void weights(std::span<const Position> places, std::span<const Vector3> normals,
                         std::span<MaterialWeights> out) const = 0;

    // How many materials there are, up to kMostMaterials. With more than four (the default is four) meshes are made by
    // mixes.
    virtual std::size_t count() const noexcept;

    // The four strongest materials at each place; arguments as those of weights. The default is what weights gives.
    virtual void mixes(std::span<const Position> places, std::span<const Vector3> normals,
                       std::span<MaterialMix> out) const;
};

// Shares of each material as bytes that add up to 255: rounded down, then the largest rests rounded up, the first of
// equal ones first. Shares need not add up to 1; those that are not above 1e-30 count as 0, those above 1e30 as that,
// and with none left all is the first material.
QUARRY_API MaterialWeights to_weights(const std::array<float, kMaterials>& shares) noexcept;

// The four largest of up to kMostMaterials shares (the first of equal ones), as weights, in ascending order of their
// numbers.
QUARRY_API MaterialMix to_mix(std::span<const float> shares) noexcept;

// One material over what lies below it.
struct MaterialLayer {
    int material = 0;                                   // 0 .. 255
    std::vector<std::shared_ptr<const Cover>> where{};  // the shares of all of them are multiplied; none: everywhere
    double strength = 1;                                // 0 .. 1; 1 hides what is below
};

// Most layers of LayeredMaterials.
inline constexpr std::size_t kMostLayers = 64;

// A ground that lies everywhere and layers over it, the last one on top.
class QUARRY_API LayeredMaterials final : public Materials {
  public:
    // Throws std::invalid_argument for materials and strengths out of range, a missing cover, and more than
    // kMostLayers.
    explicit LayeredMaterials(int ground, std::vector<MaterialLayer> layers = {});

    void weights(std::span<const Position> places, std::span<const Vector3> normals,
                 std::span<MaterialWeights> out) const override;
    std::size_t count() const noexcept override { return count_; }
    void mixes(std::span<const Position> places, std::span<const Vector3> normals,
               std::span<MaterialMix> out) const override;

  private:
    int ground_;
    std::vector<MaterialLayer> layers_;
    std::size_t count_ = kMaterials;
};

// A ball of paint: everything up to radius - soft from its centre, nothing beyond the radius.
struct Stroke {
    // World units.
    Position centre{};
    double radius = 1;    // 1e-6 .. 1e9
    double soft = 0;      // 0 .. radius
    int material = 0;     // 0 .. 255
    double strength = 1;  // 0 .. 1; 1 hides what is below
};

// Most strokes of PaintedMaterials.
inline constexpr std::size_t kMostStrokes = 100'000;

// Strokes over other materials, the last one on top.
class QUARRY_API PaintedMaterials final : public Materials {
  public:
    // Throws std::invalid_argument for missing materials, strokes out of range, and more than kMostStrokes.
    PaintedMaterials(std::shared_ptr<const Materials> below, std::vector<Stroke> strokes);

    void weights(std::span<const Position> places, std::span<const Vector3> normals,
                 std::span<MaterialWeights> out) const override;
    std::size_t count() const noexcept override { return count_; }
    void mixes(std::span<const Position> places, std::span<const Vector3> normals,
               std::span<MaterialMix> out) const override;

  private:
    std::shared_ptr<const Materials> below_;
    std::vector<Stroke> strokes_;
    std::size_t count_ = kMaterials;
};

}  // namespace quarry::terrain
