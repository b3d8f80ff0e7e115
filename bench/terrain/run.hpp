#pragma once

#include <string>
#include <vector>

#include "harness/run.hpp"
#include "terrain/rows.hpp"

namespace quarry::bench {

// The engine on the SIMD target in use; others are named after their target.
inline constexpr std::string_view kOwnTerrain = "quarry";
inline constexpr std::string_view kScalar = "scalar";

struct TerrainRun {
    std::vector<TerrainRow> rows;
    std::vector<int> workers;  // ascending; for rows that are not about one core
    std::string target;        // the SIMD target in use
    std::vector<std::string> other_targets;
    std::vector<EngineCommand> peers;
    int runs = 5;
};

// Measures row by row, each in processes of its own. Adds figures that follow from others: chunks_times, how many times
// as fast as the fastest peer; chunks_efficiency and world_efficiency, the share of the workers' time that is not lost.
RunReport run_terrain(const TerrainRun& options);

// Adds them to the results of one row.
void add_derived(const TerrainRow& row, std::vector<Result>& results);

}  // namespace quarry::bench
