#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "quarry/terrain/lattice.hpp"
#include "terrain/store/world_database.hpp"

namespace quarry::terrain::store {

// Part of a file.
struct Piece {
    std::vector<CellKey> cells;
    std::vector<StoredBrick> bricks;
    bool is_last = false;
};

// Reads a file piece by piece, in jobs that follow each other.
class Loader {
  public:
    Loader(const std::filesystem::path& file, const Lattice& lattice) : reader_(file), lattice_(lattice) {}

    // Some bricks of the cells nearest to these places that were not read yet. Throws quarry::Error.
    Piece next(std::span<const Position> near);

  private:
    void bring_nearest_to_the_end(std::span<const Position> near, std::size_t count);

    Reader reader_;
    Lattice lattice_;
    bool is_listed_ = false;
    std::vector<CellKey> left_;
};

}  // namespace quarry::terrain::store
