#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "quarry/terrain/field.hpp"
#include "quarry/terrain/fwd.hpp"
#include "terrain/combination/hierarchy.hpp"
#include "terrain/combination/join.hpp"

namespace quarry::terrain::impl {

class Selection;

// A part of a combination, and where it lies, if it ends somewhere (Field::extent).
struct ChainPart {
    std::shared_ptr<const Field> field;
    std::optional<Box> extent;
};

// Parts that join one after the other in the same way.
struct ChainRun {
    Join join;
    std::vector<ChainPart> parts;

    Hierarchy hierarchy{};                    // of the parts with an extent, where they are many
    std::vector<std::uint32_t> everywhere{};  // the others
};

// A tree of combinations as a list: a field, and what joins it in turn. In every box, only the parts that matter there
// are looked at. Where bounds leave no doubt that a part changes no bit of the result, it is left out.
class Chain {
  public:
    Chain(std::shared_ptr<const Field> base, float base_sign, std::vector<ChainRun> runs);

    void sample(const SampleBlock& block, float* out) const;
    void sample_surface(const SampleBlock& block, float* out) const;
    void densities(std::span<const Position> points, std::span<float> out) const;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const;
    Interval bounds(const Box& box) const;

    // The chain without what does not matter in the box; nothing where all of it does.
    std::optional<Chain> within(const Box& box) const;

    const std::shared_ptr<const Field>& base() const noexcept { return base_; }
    float base_sign() const noexcept { return base_sign_; }
    bool has_parts() const noexcept { return !runs_.empty(); }

  private:
    friend class Selection;

    void sample_selected(const Selection& selection, const SampleBlock& block, float* out,
                         bool surface_of_distances) const;

    std::shared_ptr<const Field> base_;
    float base_sign_;
    std::vector<ChainRun> runs_;
};

// Makes the list of a tree; defined in flatten.cpp.
Chain flatten(const CombinedField& root);

// A chain as a field of its own.
class ChainField final : public Field {
  public:
    explicit ChainField(Chain chain, double reach) : chain_(std::move(chain)), reach_(reach) {}

    void sample(const SampleBlock& block, float* out) const override;
    void sample_surface(const SampleBlock& block, float* out) const override;
    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    double reach() const noexcept override { return reach_; }
    std::shared_ptr<const Field> within(const Box& box) const override { return field_within(chain_, box, reach_); }

    // What is left of a chain in a box, as a field; null where that is all of it.
    static std::shared_ptr<const Field> field_within(const Chain& chain, const Box& box, double reach);

  private:
    Chain chain_;
    double reach_;
};

}  // namespace quarry::terrain::impl
