#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "bench/engines.hpp"
#include "command.hpp"
#include "graph/shapes.hpp"
#include "harness/peers.hpp"

namespace quarry::app {
namespace {

void declare_bench_graph(Options& options, EngineBenchArguments& arguments) {
    declare_engine_bench(options, arguments,
                         "Also measure oneTBB's flow graph, OpenMP's task dependences, Taskflow, bevy_tasks, rayon");
}

int bench_graph(const EngineBenchArguments& arguments) {
    std::vector<bench::RowInfo> rows;
    for (const bench::GraphRow& row : bench::graph_rows()) rows.push_back(row.info);
    if (arguments.list) {
        for (const bench::RowInfo& row : rows) fmt::print("{:<14} {}\n", row.name, row.what);
        return 0;
    }
    bench::Peers peers;
    if (arguments.peers) peers = bench::find_graph_peers();
    for (const std::string& note : peers.notes) fmt::print(stderr, "{}\n", note);
    return run_engine_bench("quarry bench graph", arguments, rows, bench::own_graph_engines(), peers.engines);
}

}  // namespace

template <>
Command command<struct BenchGraphCommand>() {
    return make_command("bench graph", "Measure task graphs: chain, tree, wavefront, random", declare_bench_graph,
                        bench_graph);
}

}  // namespace quarry::app
