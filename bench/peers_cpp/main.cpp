#include <cstdio>
#include <string_view>

#include "jobs/engine_host.hpp"

#ifdef QUARRY_BENCH_TBB
#include "peers_cpp/engine_tbb.hpp"
#endif
#ifdef QUARRY_BENCH_OPENMP
#include "peers_cpp/engine_openmp.hpp"
#endif
#ifdef QUARRY_BENCH_MOODYCAMEL
#include "peers_cpp/channel_moodycamel.hpp"
#endif
#include "peers_cpp/engine_async.hpp"

namespace {

template <class E>
int serve_as() {
    quarry::bench::EngineHostOf<E> host;
    return quarry::bench::serve(host);
}

}  // namespace

// One engine a process: quarry-bench-peers NAME. Without a name it lists the engines it was built with.
int main(int count, char** arguments) {
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
