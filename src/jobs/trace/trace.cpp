#include "quarry/jobs/trace.hpp"

#include <stdexcept>
#include <string>

#include "jobs/os/os.hpp"
#include "jobs/trace/json.hpp"
#include "jobs/trace/session.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/impl/output_file.hpp"
#include "quarry/jobs/pool.hpp"

namespace quarry {
namespace {

TraceOptions checked(const TraceOptions& options) {
    const std::size_t events = options.events_per_thread;
    if (events == 0 && options.hooks != nullptr) return options;
    if (events < Trace::kFewestEvents || events > Trace::kMostEvents) {
        throw std::invalid_argument("TraceOptions::events_per_thread is " + std::to_string(events) + "; allowed are " +
                                    std::to_string(Trace::kFewestEvents) + " to " + std::to_string(Trace::kMostEvents) +
                                    ", and 0 with hooks");
    }
    return options;
}

}  // namespace

struct Trace::Recording {
    TraceOptions options;
    std::shared_ptr<impl::TraceSession> session = nullptr;
    bool active = false;
};

Trace::Trace(TraceOptions options) : recording_(std::make_unique<Recording>(Recording{checked(options)})) {}

Trace::Trace(Pool& pool, TraceOptions options) : Trace(options) {
    start(pool);
}

Trace::~Trace() {
    stop();
}

void Trace::start(Pool& pool) {
    if (recording_->active) {
        impl::add_to_trace_session(*recording_->session, pool.core());
        return;
    }
    const std::shared_ptr<impl::TraceSession> session = impl::open_trace_session(recording_->options);
    try {
        impl::add_to_trace_session(*session, pool.core());
    } catch (...) {
        impl::close_trace_session(*session);
        throw;
    }
    recording_->session = session;
    recording_->active = true;
}

void Trace::stop() noexcept {
    if (!recording_->active) return;
    recording_->active = false;
    impl::close_trace_session(*recording_->session);
}

bool Trace::active() const noexcept {
    return recording_->active;
}

std::uint64_t Trace::kept() const {
    std::uint64_t kept = 0;
    if (recording_->session == nullptr) return kept;
    for (const auto& track : impl::tracks_of(*recording_->session)) {
        const std::uint64_t lost = track->ring.lost();
        kept += track->ring.recorded() - lost;
    }
    return kept;
}

std::uint64_t Trace::lost() const {
    std::uint64_t lost = 0;
    if (recording_->session == nullptr) return lost;
    for (const auto& track : impl::tracks_of(*recording_->session)) lost += track->ring.lost();
    return lost;
}

void Trace::write(std::ostream& out) const {
    if (recording_->session == nullptr) throw Error("this trace has nothing to write: it was never started");
    impl::write_trace_json(*recording_->session, out);
}

void Trace::write(const std::filesystem::path& path) const {
    if (recording_->session == nullptr) throw Error("this trace has nothing to write: it was never started");
    try {
        impl::write_whole_file(path, [this](std::ostream& out) { write(out); });
    } catch (const Error& failure) {
        throw Error("cannot write the trace to " + path.string() + ": " + failure.what());
    }
}

}  // namespace quarry
