#include "quarry/frame/frame_ledger.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "frame/moments.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/trace.hpp"

namespace quarry {

namespace {

FrameLedgerOptions checked(FrameLedgerOptions options) {
    // In this form it refuses NaN too.
    if (options.hertz != 0 && !(options.hertz >= FrameClock::kLeastHertz && options.hertz <= FrameClock::kMostHertz)) {
        std::ostringstream message;
        message << "FrameLedgerOptions::hertz is " << options.hertz << "; allowed are 0 and 1 to 1000";
        throw std::invalid_argument(message.str());
    }
    if (options.history < 1 || options.history > FrameLedger::kMostHistory) {
        throw std::invalid_argument("FrameLedgerOptions::history is " + std::to_string(options.history) +
                                    "; allowed are 1 to " + std::to_string(FrameLedger::kMostHistory));
    }
    return options;
}

}  // namespace

StalePolicy StalePolicy::drop_older_than(int frames) {
    if (frames < 0 || frames > kMostFrames) {
        throw std::invalid_argument("StalePolicy::drop_older_than: frames is " + std::to_string(frames) +
                                    "; allowed are 0 to " + std::to_string(kMostFrames));
    }
    return {frames, true};
}

double FrameLedgerStats::mean_latency() const noexcept {
    return returned == 0 ? 0 : static_cast<double>(latency_sum) / static_cast<double>(returned);
}

double FrameLedgerStats::stale_percent() const noexcept {
    return returned == 0 ? 0 : 100 * static_cast<double>(stale) / static_cast<double>(returned);
}

FrameLedger::FrameLedger(FrameLedgerOptions options)
    : options_(checked(std::move(options))), history_(options_.history) {
    if (options_.hertz != 0) period_ = std::chrono::nanoseconds(std::llround(1e9 / options_.hertz));
}

std::uint64_t FrameLedger::begin_frame(time_point now) {
    options_.host.assert_host("FrameLedger::begin_frame");
    if (open_) close(now);
    const std::uint64_t next = frame_ + 1;
    const std::uint64_t last = current_.exchange(next << kCountBits, std::memory_order_relaxed);
    const auto submitted_in_last = static_cast<std::uint32_t>(last);
    history_[place_].submitted = submitted_in_last;
    stats_.submitted += submitted_in_last;
    frame_ = next;
    if (++place_ == history_.size()) place_ = 0;
    history_[place_] = FrameRecord{.frame = next};
    ++stats_.frames;
    begun_ = now;
    open_ = true;
    span_.emplace("frame", next);
    return next;
}

void FrameLedger::end_frame(time_point now) {
    options_.host.assert_host("FrameLedger::end_frame");
    if (!open_) throw Error("FrameLedger::end_frame: there is no frame; begin_frame comes first");
    close(now);
    if (impl::any_trace()) trace();
}

void FrameLedger::close(time_point now) noexcept {
    open_ = false;
    span_.reset();
    FrameRecord& ended = history_[place_];
    // Time that goes backwards makes a frame of no length.
    if (now > begun_) ended.duration = impl::as_duration(impl::nanoseconds_between(begun_, now));
    stats_.duration_sum = impl::bounded_sum(stats_.duration_sum, ended.duration);
    stats_.duration_max = std::max(stats_.duration_max, ended.duration);
    if (period_.count() == 0 || ended.duration <= period_) return;
    ended.missed = static_cast<std::uint64_t>((ended.duration.count() - 1) / period_.count());
    stats_.missed_frames += ended.missed;
    ++stats_.overrun_frames;
}

void FrameLedger::note(const FrameSteps& steps) {
    options_.host.assert_host("FrameLedger::note");
    stats_.dropped_steps += steps.dropped_steps;
    stats_.dropped_time = impl::bounded_sum(stats_.dropped_time, steps.dropped_time);
}

bool FrameLedger::returned(FrameTag tag) {
    options_.host.assert_host("FrameLedger::returned");
    // Right for results of the last 2^31 frames.
    const std::uint32_t age = static_cast<std::uint32_t>(frame_) - tag.frame_;
    if (static_cast<std::int32_t>(age) < 0) {
        throw Error("FrameLedger::returned: the tag is of a frame that has not begun, so of another ledger");
    }
    ++stats_.returned;
    ++history_[place_].returned;
    if (age < FrameLedgerStats::kBuckets) {
        ++stats_.latency[age];
    } else {
        ++stats_.later_than_all;
    }
    stats_.latency_sum += age;
    history_[place_].latency_sum += age;
    stats_.latency_max = std::max<std::uint64_t>(stats_.latency_max, age);
    if (age <= static_cast<std::uint32_t>(options_.stale.frames())) return true;
    ++stats_.stale;
    ++history_[place_].stale;
    if (!options_.stale.drops()) return true;
    ++stats_.dropped;
    return false;
}

FrameLedgerStats FrameLedger::stats() const {
    options_.host.assert_host("FrameLedger::stats");
    FrameLedgerStats now = stats_;
    // In this order: what was withdrawn is also seen as submitted.
    now.withdrawn = withdrawn_.load(std::memory_order_acquire);
    now.submitted += static_cast<std::uint32_t>(current_.load(std::memory_order_relaxed));
    return now;
}

std::vector<FrameRecord> FrameLedger::recent() const {
    options_.host.assert_host("FrameLedger::recent");
    std::vector<FrameRecord> records;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(frame_, history_.size()));
    records.reserve(count);
    for (std::size_t ago = count; ago-- > 0;) {
        records.push_back(history_[ago <= place_ ? place_ - ago : place_ + history_.size() - ago]);
    }
    if (count != 0) records.back().submitted = static_cast<std::uint32_t>(current_.load(std::memory_order_relaxed));
    return records;
}

void FrameLedger::trace() const noexcept {
    const FrameRecord& ended = history_[place_];
    const std::uint64_t gone = stats_.returned + withdrawn_.load(std::memory_order_acquire);
    const auto submitted_now = static_cast<std::uint32_t>(current_.load(std::memory_order_relaxed));
    const auto outstanding = static_cast<std::int64_t>(stats_.submitted + submitted_now - gone);
    trace_counter("frame submitted", submitted_now);
    trace_counter("frame returned", ended.returned);
    trace_counter("frame stale", ended.stale);
    // A frame without results has no latency, and no value of it: one more 0 would look like a good frame.
    if (ended.returned != 0) {
        trace_counter("frame latency", static_cast<double>(ended.latency_sum) / ended.returned);
    }
    trace_counter("frame missed", static_cast<double>(ended.missed));
    trace_counter("frame outstanding", static_cast<double>(outstanding));
}

}  // namespace quarry
