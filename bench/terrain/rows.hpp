#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "jobs/rows/context.hpp"
#include "jobs/rows/list.hpp"

namespace quarry::bench {

// What a row is measured with.
enum class TerrainPart {
    field,   // each SIMD target, one core
    chunk,   // the target in use and the scalar one, one core
    real,    // the target in use, one core
    chunks,  // the target in use and the peers, each number of workers
    bounds,  // the target in use, one core
    world,   // the target in use, each number of workers
};

// Measures a row once.
using TerrainMeasure = std::function<void(RowContext& context)>;

struct TerrainRow {
    RowInfo info;
    TerrainPart part;
    // Makes what is measured, and is called once a process. The name is the row's.
    TerrainMeasure (*make)(const std::string& name);
};

// The rows of `quarry bench terrain`.
std::span<const TerrainRow> terrain_rows();
const TerrainRow* find_terrain_row(std::string_view name);

// What a figure should reach, at least or at most as higher_is_better says.
struct TerrainAim {
    std::string_view name;
    double value;
    int workers = 0;          // 0: on any number
    bool for_avx512 = false;  // says nothing of other targets
};
std::optional<TerrainAim> terrain_aim(std::string_view name, int workers, bool avx512);

bool higher_is_better(std::string_view unit);

}  // namespace quarry::bench
