#pragma once

#include <string>
#include <vector>

#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/world.hpp>

#include "jobs/rows/context.hpp"

namespace quarry::bench {

// How bounds tell the empty chunks of a world from others.
class Rejection {
  public:
    Rejection(std::string name, const terrain::NoiseOptions& options);

    // NAME: chunks rejected in a second in which the bounds of all chunks of the world are looked at, the others
    // included. NAME_share: how many of the chunks without a surface extract returns without a sample.
    void measure(RowContext& context) const;

  private:
    void count_share();

    std::string name_;
    terrain::NoiseField field_;
    std::vector<terrain::PlacedChunk> places_;
    double share_ = 0;
};

}  // namespace quarry::bench
