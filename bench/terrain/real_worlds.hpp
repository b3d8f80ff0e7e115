#pragma once

#include <memory>
#include <string>

#include <quarry/terrain/fwd.hpp>

#include "terrain/rows.hpp"

namespace quarry::bench {

// On surface chunks of a world, at LOD 0: chunks a second, microseconds a chunk by stage, and how many times as long as
// a chunk of plain noise it takes.
TerrainMeasure measure_real_world(std::string name, std::shared_ptr<const terrain::Field> field,
                                  std::shared_ptr<const terrain::Materials> materials = nullptr);

// Worlds as people build them.
std::shared_ptr<const terrain::Field> noise_without_spheres_in_a_ball();
std::shared_ptr<const terrain::Field> noise_without_spheres_in_a_layer();
std::shared_ptr<const terrain::Field> heightmap_with_caves();
std::shared_ptr<const terrain::Field> planet();
std::shared_ptr<const terrain::Field> overhanging_mountains();

}  // namespace quarry::bench
