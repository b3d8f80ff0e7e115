#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/engines.hpp"
#include "command.hpp"
#include "ecs/rows.hpp"
#include "harness/peers.hpp"

namespace quarry::app {
namespace {

void declare_bench_ecs(Options& options, EngineBenchArguments& arguments) {
    declare_engine_bench(options, arguments, "Also measure bevy_ecs, on many threads and on one");
}

int bench_ecs(const EngineBenchArguments& arguments) {
    std::vector<bench::RowInfo> rows;
    for (const bench::EcsRow& row : bench::ecs_rows()) rows.push_back(row.info);
    if (arguments.list) {
        for (const bench::EcsRow& row : bench::ecs_rows()) {
            fmt::print("{:<10} {} (bare: {})\n", row.info.name, row.info.what, row.bare);
        }
        return 0;
    }
    bench::Peers peers;
    if (arguments.peers) peers = bench::find_ecs_peers();
    for (const std::string& note : peers.notes) fmt::print(stderr, "{}\n", note);
    return run_engine_bench("quarry bench ecs", arguments, rows, bench::own_ecs_engines(), peers.engines);
}

}  // namespace

template <>
Command command<struct BenchEcsCommand>() {
    return make_command("bench ecs", "Measure schedules of systems: overhead, ranges, commands, boids",
                        declare_bench_ecs, bench_ecs);
}

}  // namespace quarry::app
