#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <quarry/terrain/chunk_key.hpp>
#include <quarry/terrain/fwd.hpp>

#include "jobs/measure.hpp"

namespace quarry::bench {

// Surface chunks, at LOD 0, of a world as people build them: "showcase", "overhangs", "spheres" and "slab" (noise
// without 10,000 spheres, in a ball or in a flat layer), "caves" (a heightmap with caves), "planet".
class RealWorld {
  public:
    explicit RealWorld(std::string_view name);

    // Chunks a second, microseconds a chunk by stage, and how many times as long as a chunk of plain noise it takes.
    void measure(Answer& answer) const;

  private:
    struct Subject {
        std::shared_ptr<const terrain::Field> field;
        std::shared_ptr<const terrain::Materials> materials;
        std::vector<terrain::ChunkKey> keys;
    };

    static Subject subject_of(std::string_view name);

    std::string name_;
    Subject world_;
    Subject noise_;
};

}  // namespace quarry::bench
