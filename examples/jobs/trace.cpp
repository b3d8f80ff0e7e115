// A timeline of what each thread did, for ui.perfetto.dev. Usage: trace [FILE]
#include <cmath>
#include <cstdio>
#include <filesystem>

#include <quarry/jobs/parallel_for.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/scope.hpp>
#include <quarry/jobs/trace.hpp>

namespace {

void simulate() {
    volatile double sum = 0;
    for (int i = 0; i < 2'000; ++i) sum = sum + std::sin(i);
}

}  // namespace

int main(int count, char** arguments) {
    const std::filesystem::path file =
        count > 1 ? arguments[1] : std::filesystem::temp_directory_path() / "quarry_example_trace.json";
    quarry::Pool pool;
    quarry::Trace trace(pool);  // from here on the pool is recorded
    for (unsigned frame = 0; frame < 10; ++frame) {
        const quarry::TraceSpan span("frame", frame);  // frame 0, frame 1, ...
        pool.scope(
            [](quarry::Scope& scope) {
                for (int i = 0; i < 100; ++i) scope.spawn(simulate);
            },
            {.name = "simulate"});
        quarry::trace_counter("frames", frame + 1);
    }
    trace.stop();
    trace.write(file);  // open it in ui.perfetto.dev
    std::printf("%zu events, %zu lost\n", static_cast<std::size_t>(trace.kept()),
                static_cast<std::size_t>(trace.lost()));
    const bool written = std::filesystem::file_size(file) > 0;
    if (count == 1) std::filesystem::remove(file);
    return written && trace.kept() > 10 ? 0 : 1;
}
