#include <bit>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>

#include "jobs/os/process_wide.hpp"
#include "jobs/trace/points.hpp"

namespace quarry {
namespace {

// The trace of the pool in which this thread works, or else the newest one.
std::uint64_t trace_here() noexcept {
    if (const impl::Worker* const worker = impl::Worker::current()) {
        if (const std::uint64_t serial = impl::trace_of(*worker)) return serial;
    }
    return impl::newest_trace.load(std::memory_order_relaxed);
}

impl::Track* track_here() noexcept {
    const std::uint64_t serial = trace_here();
    return serial == 0 ? nullptr : impl::track_for(serial);
}

struct HashOfText {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
};

struct Names {
    std::mutex mutex;
    std::unordered_set<std::string, HashOfText, std::equal_to<>> texts;
};

Names& names() {
    return impl::os::process_wide<Names>();
}

}  // namespace

void TraceSpan::begin(const char* name) noexcept {
    const impl::Track* const track = track_here();
    if (track == nullptr) return;
    trace_ = track->serial;
    name_ = name;
    thread_ = &impl::thread_trace;
    hooks_ = track->hooks != nullptr && track->hooks->begin != nullptr ? track->hooks : nullptr;
    if (hooks_ != nullptr) hooked_ = hooks_->begin(name, nullptr);
    begun_ = impl::os::ticks();
}

void TraceSpan::end() noexcept {
    const std::uint64_t now = impl::os::ticks();
    if (thread_ != &impl::thread_trace) return;
    if (trace_ == trace_here()) {
        if (impl::Track* const track = impl::track_for(trace_)) {
            using Kind = impl::Event::Kind;
            track->record({.begin = begun_,
                           .end = now,
                           .name = name_,
                           .kind = numbered_ ? Kind::numbered : Kind::span,
                           .count = 1,
                           .job = number_ & impl::Event::kMostJob});
        }
    }
    if (hooks_ != nullptr && hooks_->end != nullptr) hooks_->end(hooked_);
}

void impl::record_instant(const char* name) noexcept {
    if (const Track* const track = track_here()) record_event_of(track->serial, name);
}

void impl::record_counter(const char* name, double value) noexcept {
    Track* const track = track_here();
    if (track == nullptr) return;
    track->record(
        {.begin = os::ticks(), .end = std::bit_cast<std::uint64_t>(value), .name = name, .kind = Event::Kind::counter});
    if (track->hooks != nullptr && track->hooks->counter != nullptr) track->hooks->counter(name, value);
}

const char* trace_name(std::string_view text) {
    Names& known = names();
    const std::lock_guard lock(known.mutex);
    // emplace() alone would allocate for a text that is there already.
    const auto found = known.texts.find(text);
    return found != known.texts.end() ? found->c_str() : known.texts.emplace(text).first->c_str();
}

}  // namespace quarry
