#pragma once

#include <span>
#include <string_view>

#include "jobs/rows/context.hpp"
#include "jobs/rows/list.hpp"

namespace quarry::bench {

enum class EcsEngine { parallel, blocking, bare };

struct EcsRow {
    RowInfo info;
    void (*measure)(EcsEngine engine, RowContext& context);
    const char* bare;  // what the engine `bare` does
};

// The rows of `quarry bench ecs`.
std::span<const EcsRow> ecs_rows();
const EcsRow* find_ecs_row(std::string_view name);

void measure_empty_systems(EcsEngine engine, RowContext& context);
void measure_conflicts(EcsEngine engine, RowContext& context);
void measure_heavy(EcsEngine engine, RowContext& context);
void measure_skewed(EcsEngine engine, RowContext& context);
void measure_commands(EcsEngine engine, RowContext& context);
void measure_boids(EcsEngine engine, RowContext& context);

inline constexpr std::string_view kEcsEnginePrefix = "ecs-";
// The engines ecs-parallel, ecs-blocking and ecs-bare. Returns the exit status, 2 for an unknown one.
int serve_ecs_engine(std::string_view name);

}  // namespace quarry::bench
