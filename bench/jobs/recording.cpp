#include "jobs/recording.hpp"

#include <optional>
#include <stdexcept>

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

void write_recording(const std::string& path) {
    if (!recording()) throw std::runtime_error("no trace for " + path + ": this engine records none");
    recording()->write(path);
}

}  // namespace quarry::bench
