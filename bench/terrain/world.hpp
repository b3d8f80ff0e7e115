#pragma once

#include "jobs/rows/context.hpp"

namespace quarry::bench {

// The benchmark world on so many workers, once and in a process that has done nothing else: seconds until all meshes
// are there (world), the same again in memory that is there already (world_warm), and in MiB: what the vertices and
// indices hold (world_meshes); what the process has taken from the system to make them, be it by malloc or for arenas,
// touched or not (world_allocated); how much its resident memory has grown at its highest (world_peak); and what that
// is beyond the meshes (world_beyond).
void measure_world(RowContext& context);

}  // namespace quarry::bench
