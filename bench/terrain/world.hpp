#pragma once

#include "jobs/measure.hpp"

namespace quarry::bench {

// R3's world on so many workers, once and in a process that has done nothing else: seconds until all meshes are there
// (world), the same again in memory that is there already (world_warm), and in MiB what the vertices and indices hold
// (world_meshes), how much the process has grown at its highest while it made them (world_peak: resident memory, so
// whatever an allocator or an arena has taken and not touched does not count, and all else does) and what that is
// beyond the meshes (world_beyond).
void measure_world(int workers, Answer& answer);

}  // namespace quarry::bench
