#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "quarry/terrain/field.hpp"
#include "terrain/edits/snapshot.hpp"

namespace quarry::terrain::edits {

// Solid points that hang together.
struct LooseShape {
    std::vector<LatticePoint> points;  // by z, y, x
    LatticeBox box = LatticeBox::nothing();
};

class BrickSource;

// Follows solid lattice points from neighbour to neighbour. Densities are read brick by brick, each once.
class LooseSearch {
  public:
    LooseSearch(const Field& ground, const BrickTree<DensityBrick>& densities, FixedPoint fixed, const Lattice& lattice,
                BrickSource* source = nullptr) noexcept
        : ground_(ground), densities_(densities), fixed_(fixed), lattice_(lattice), source_(source) {}

    // The part that the point belongs to; none: the point is not solid, belongs to one that was found before, or to
    // more than `most` points.
    std::optional<LooseShape> part_at(LatticePoint point, std::uint64_t most);

    float density(LatticePoint point) { return block_at(key_of(point)).densities[index_of<DensityBrick>(point)]; }

  private:
    enum class Mark : std::uint8_t { none, part, ground };
    // A brick's worth of densities, read once.
    struct Block {
        BrickKey key;
        std::array<Block*, 6> beside{};  // below and above along x, y, z; null: not looked up yet
        std::array<float, DensityBrick::kValues> densities;
        std::array<Mark, DensityBrick::kValues> marks{};
    };
    struct Place {
        Block* block;
        std::size_t index;
    };

    Block& block_at(const BrickKey& key);
    // The neighbour in one of six directions.
    Place beside(Place place, std::size_t direction);

    const Field& ground_;
    const BrickTree<DensityBrick>& densities_;
    const FixedPoint fixed_;
    const Lattice lattice_;
    BrickSource* const source_;  // is asked for bricks before they are read; null: nobody is
    std::map<BrickKey, std::unique_ptr<Block>> blocks_;
    Block* last_ = nullptr;
};

}  // namespace quarry::terrain::edits
