#include "quarry/frame/frame_clock.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ratio>
#include <sstream>
#include <stdexcept>
#include <type_traits>

#include "frame/moments.hpp"

namespace quarry {

namespace {

static_assert(std::is_same_v<FrameClock::Clock::period, std::nano>, "all below counts in nanoseconds");

// A rate of 1 Hz or more has no binary digit below 2^-52, and one of less than 2^10 Hz makes a whole number below 2^62
// of it. Times of up to 2^64 ns then need 126 bits.
__extension__ using Wide = unsigned __int128;
constexpr int kFractionBits = std::numeric_limits<double>::digits - 1;
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr double kJustBelowOne = 1 - std::numeric_limits<double>::epsilon() / 2;

template <class Value>
[[noreturn]] void refuse(const char* option, Value value, const char* allowed) {
    std::ostringstream message;
    message << "FrameClock: " << option << " is " << value << "; allowed are " << allowed;
    throw std::invalid_argument(message.str());
}

}  // namespace

FrameClock::FrameClock(double hertz, int max_catch_up) : hertz_(hertz), max_catch_up_(max_catch_up) {
    // In this form it refuses NaN too.
    if (!(hertz >= kLeastHertz && hertz <= kMostHertz)) refuse("hertz", hertz, "1 to 1000");
    if (max_catch_up < 1 || max_catch_up > kMostCatchUp) refuse("max_catch_up", max_catch_up, "1 to 1000");
    scaled_hertz_ = static_cast<std::uint64_t>(std::ldexp(hertz, kFractionBits));
}

std::uint64_t FrameClock::steps_in(std::uint64_t nanoseconds) const noexcept {
    return static_cast<std::uint64_t>((Wide{nanoseconds} * scaled_hertz_ >> kFractionBits) / kSecond);
}

// Rounded up: the first whole nanosecond at which the step is due.
std::uint64_t FrameClock::nanoseconds_to(std::uint64_t step) const noexcept {
    const Wide scaled = (Wide{step} * kSecond << kFractionBits) + (scaled_hertz_ - 1);
    return static_cast<std::uint64_t>(
        std::min<Wide>(scaled / scaled_hertz_, std::numeric_limits<std::uint64_t>::max()));
}

void FrameClock::set_place(std::uint64_t step) noexcept {
    place_ = step;
    current_ = impl::later_by(start_, nanoseconds_to(step));
    next_ = impl::later_by(start_, nanoseconds_to(step + 1));
}

void FrameClock::start(time_point now) noexcept {
    start_ = now;
    latest_ = now;
    started_ = true;
    set_place(0);
}

FrameSteps FrameClock::advance(time_point now) {
    if (!started_) {
        start(now);
        return {};
    }
    if (now < latest_) return turn_back(now);
    latest_ = now;
    if (now < next_) return {};

    const std::uint64_t due = steps_in(impl::nanoseconds_between(start_, now));
    const std::uint64_t run = std::min(due - place_, static_cast<std::uint64_t>(max_catch_up_));
    const std::uint64_t dropped = due - place_ - run;
    FrameSteps result;
    result.steps = static_cast<int>(run);
    if (dropped != 0) {
        result.dropped_steps = static_cast<std::int64_t>(dropped);
        result.dropped_time = impl::as_duration(nanoseconds_to(due) - nanoseconds_to(place_ + run));
    }
    set_place(due);
    steps_ += result.steps;
    dropped_steps_ += result.dropped_steps;
    dropped_time_ = impl::bounded_sum(dropped_time_, result.dropped_time);
    return result;
}

FrameSteps FrameClock::turn_back(time_point now) noexcept {
    ++times_backwards_;
    if (impl::nanoseconds_between(now, latest_) > nanoseconds_to(static_cast<std::uint64_t>(max_catch_up_))) {
        // As far into a step as before.
        start_ = impl::earlier_by(now, impl::nanoseconds_between(current_, latest_));
        latest_ = now;
        set_place(0);
    }
    return {};
}

double FrameClock::interpolation(time_point now) const noexcept {
    if (!started_ || now <= current_) return 0;
    const double passed = static_cast<double>(impl::nanoseconds_between(current_, now));
    return std::min(passed / static_cast<double>(kSecond) * hertz_, kJustBelowOne);
}

}  // namespace quarry
