#include <cstdio>
#include <string_view>

#include "jobs/engine_host.hpp"

#ifdef QUARRY_BENCH_TBB
#include "peers_cpp/engine_tbb.hpp"
#include "peers_cpp/graph_tbb.hpp"
#endif
#ifdef QUARRY_BENCH_OPENMP
#include "peers_cpp/engine_openmp.hpp"
#include "peers_cpp/graph_openmp.hpp"
#endif
#ifdef QUARRY_BENCH_MOODYCAMEL
#include "peers_cpp/channel_moodycamel.hpp"
#endif
#ifdef QUARRY_BENCH_TASKFLOW
#include "peers_cpp/graph_taskflow.hpp"
#endif
#include "graph/host.hpp"
#include "peers_cpp/engine_async.hpp"

namespace {

template <class E>
int serve_as() {
    quarry::bench::EngineHostOf<E> host;
    return quarry::bench::serve(host);
}

template <class E>
int serve_graph_as() {
    quarry::bench::GraphHostOf<E> host;
    return quarry::bench::serve(host);
}

// The engines of `quarry bench graph`; `list`: their names.
int serve_graph(std::string_view name) {
    const bool list = name == "list";
#ifdef QUARRY_BENCH_TBB
    if (list) std::puts("tbb");
    if (name == "tbb") return serve_graph_as<quarry::bench::TbbGraph>();
#endif
#ifdef QUARRY_BENCH_OPENMP
    if (list) std::puts("openmp");
    if (name == "openmp") return serve_graph_as<quarry::bench::OpenMpGraph>();
#endif
#ifdef QUARRY_BENCH_TASKFLOW
    if (list) std::puts("taskflow");
    if (name == "taskflow") return serve_graph_as<quarry::bench::TaskflowGraph>();
#endif
    return list ? 0 : 2;
}

}  // namespace

// One engine a process: quarry-bench-peers NAME, or graph NAME for those of `quarry bench graph`. Without a name it
// lists the engines it was built with.
int main(int count, char** arguments) {
    if (count == 3 && std::string_view(arguments[1]) == "graph") return serve_graph(arguments[2]);
    const std::string_view name = count == 2 ? arguments[1] : "";
    if (name == "async") return serve_as<quarry::bench::AsyncEngine>();
#ifdef QUARRY_BENCH_TBB
    if (name == "tbb") return serve_as<quarry::bench::TbbEngine>();
#endif
#ifdef QUARRY_BENCH_OPENMP
    if (name == "openmp") return serve_as<quarry::bench::OpenMpEngine>();
#endif
#ifdef QUARRY_BENCH_MOODYCAMEL
    if (name == "moodycamel") {
        quarry::bench::ChannelHost<quarry::bench::MoodycamelChannel> host;
        return quarry::bench::serve(host);
    }
#endif
#ifdef QUARRY_BENCH_TBB
    std::puts("tbb");
#endif
#ifdef QUARRY_BENCH_OPENMP
    std::puts("openmp");
#endif
#ifdef QUARRY_BENCH_MOODYCAMEL
    std::puts("moodycamel");
#endif
    std::puts("async");
    return name.empty() ? 0 : 2;
}
