#pragma once

#include "terrain/edits/brick.hpp"

namespace quarry::terrain::edits {

// Has bricks that a store does not have yet.
class BrickSource {
  public:
    BrickSource() = default;
    BrickSource(const BrickSource&) = delete;
    BrickSource& operator=(const BrickSource&) = delete;
    virtual ~BrickSource() = default;

    // Adopts all bricks with points in the box, now. Throws quarry::Error where it cannot.
    virtual void need(const LatticeBox& box) = 0;
};

}  // namespace quarry::terrain::edits
