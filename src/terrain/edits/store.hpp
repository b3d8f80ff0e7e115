#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/field.hpp"
#include "terrain/edits/brick_source.hpp"
#include "terrain/edits/brush.hpp"
#include "terrain/edits/history.hpp"
#include "terrain/edits/snapshot.hpp"

namespace quarry::terrain::edits {

// All of an EditWorld.
class Store {
  public:
    Store(std::shared_ptr<const Field> ground, const EditWorldOptions& options);

    EditReport apply(const Edit& edit);
    std::uint16_t add_stamp(std::shared_ptr<const Field> stamp, double radius);
    std::shared_ptr<const Snapshot> snapshot();

    // Is asked before an edit reads or changes anything; null: nobody is.
    void set_source(BrickSource* source) noexcept { source_ = source; }
    // A brick of the source, where there is none.
    template <class Brick>
    void adopt(const BrickKey& key, std::shared_ptr<Brick> brick) {
        trees_.of<Brick>().adopt(key, std::move(brick));
        last_ = nullptr;
    }

    const History& history() const noexcept { return history_; }
    const EditWorldOptions& options() const noexcept { return options_; }
    std::uint64_t applied() const noexcept { return applied_; }
    EditWorldStats stats() const;
    std::uint64_t content_hash() const;

  private:
    void change_densities(const Edit& edit, const Brush& brush, const LatticeBox& box, Changed& changed);
    void sample(const SampleBlock& block, const BrickTree<DensityBrick>* densities);
    void change_brick(const DensityChange& change, const Brush& brush, const SampleBlock& around, const LatticeBox& box,
                      Changed& changed);
    void write_rows(const BrickKey& key, const BrickPart& part, Changed& changed);
    template <class Brick>
    void write(const BrickKey& key, LatticePoint point, typename Brick::Value value, Brick*& brick, Changed& changed);
    bool remove_part(Position at, Changed& changed);
    void change_paint(const Edit& edit, const Brush& brush, const LatticeBox& box, Changed& changed);

    const std::shared_ptr<const Field> ground_;
    const EditWorldOptions options_;
    const FixedPoint fixed_;
    std::vector<Stamp> stamps_;
    Trees trees_;
    History history_;
    std::uint64_t applied_ = 0;
    BrickSource* source_ = nullptr;
    std::shared_ptr<const Snapshot> last_;  // the snapshot of the trees as they are; null: they have changed since

    std::vector<float> current_;          // densities of a part of an edit, with a border for smoothing
    std::optional<SampleBlock> sampled_;  // what current_ has of the field alone
    std::vector<float> distances_;
    std::vector<float> targets_;
    const std::unique_ptr<ChangedRows> changed_rows_ = std::make_unique<ChangedRows>();
};

}  // namespace quarry::terrain::edits
