// Tells a profiler of every job as it runs. The first namespace stands in for Tracy's C API (TracyC.h). With the real
// one, remove it, and put three underscores before the names of the calls.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/scope.hpp>
#include <quarry/jobs/trace.hpp>

namespace stand_in {

struct TracyCZoneCtx {
    std::uint32_t id;
    int active;
};
std::atomic<std::uint32_t> zones{0};
std::atomic<std::uint32_t> ended{0};

std::uint64_t tracy_alloc_srcloc_name(std::uint32_t, const char*, std::size_t, const char*, std::size_t,
                                      const char* name, std::size_t) {
    return reinterpret_cast<std::uintptr_t>(name);
}
TracyCZoneCtx tracy_emit_zone_begin_alloc(std::uint64_t, int active) {
    return {++zones, active};
}
void tracy_emit_zone_end(TracyCZoneCtx zone) {
    if (zone.active != 0) ++ended;
}
void tracy_emit_message(const char*, std::size_t, int) {}
void tracy_emit_plot(const char*, double) {}
void tracy_set_thread_name(const char* name) {
    std::printf("a thread: %s\n", name);
}

}  // namespace stand_in

namespace {

using namespace stand_in;

// [begin docs]
std::uint64_t begin_zone(const char* name, const char*) {
    const std::uint64_t place = tracy_alloc_srcloc_name(0, "", 0, "", 0, name, std::strlen(name));
    return tracy_emit_zone_begin_alloc(place, 1).id;
}
void end_zone(std::uint64_t begun) {
    tracy_emit_zone_end({static_cast<std::uint32_t>(begun), 1});
}

constexpr quarry::TraceHooks kTracy{
    .begin = begin_zone,
    .end = end_zone,
    .instant = [](const char* name) { tracy_emit_message(name, std::strlen(name), 0); },
    .counter = [](const char* name, double value) { tracy_emit_plot(name, value); },
    .thread = [](const char* name) { tracy_set_thread_name(name); },
};
// [end docs]

}  // namespace

int main() {
    {
        // [begin use]
        quarry::Pool pool;
        const quarry::Trace tracy(pool, {.events_per_thread = 0, .hooks = &kTracy});  // for as long as it lives
        pool.scope([](quarry::Scope& scope) {
            for (int i = 0; i < 100; ++i) scope.spawn([] {});
        });
        // [end use]
    }
    std::printf("%u zones\n", zones.load());
    return zones == 100 && ended == 100 ? 0 : 1;
}
