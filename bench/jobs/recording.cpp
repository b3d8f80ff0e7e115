#include "jobs/recording.hpp"

#include <optional>

#include <quarry/jobs/trace.hpp>

namespace quarry::bench {
namespace {

// One for all the pools, which come and go with the number of workers.
std::optional<Trace>& recording() {
    static std::optional<Trace> all;
    return all;
}

}  // namespace

void start_recording() {
    recording().emplace(TraceOptions{.events_per_thread = 65'536});
}

void record(Pool& pool) {
    if (recording()) recording()->start(pool);
}

bool write_recording(const std::string& path) {
    if (!recording()) return false;
    recording()->write(path);
    return true;
}

}  // namespace quarry::bench
