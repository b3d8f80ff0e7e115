#include "tools/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "harness/terminal.hpp"

namespace quarry::app {
namespace {

using namespace std::chrono_literals;

constexpr int kBarWidth = 16;
constexpr auto kRedraw = 100ms;
constexpr auto kBetweenLines = 10s;

std::string clock_text(double seconds) {
    const auto whole = static_cast<std::uint64_t>(std::ceil(seconds));
    if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

std::string progress_text(const Look& look, std::string_view name, std::string_view unit, ProgressCount count,
                          double seconds) {
    if (count.total == 0) return fmt::format("{:<9}{} so far", name, clock_text(std::floor(seconds)));
    const double share = static_cast<double>(count.done) / static_cast<double>(count.total);
    std::string text = fmt::format("{:<9}{} {:3.0f} %  ", name, look.bar(share, kBarWidth), share * 100);
    if (unit == kMilliseconds) {
        const auto time = [](std::uint64_t each) { return clock_text(std::floor(static_cast<double>(each) / 1e3)); };
        return text + fmt::format("{} of {}", time(count.done), time(count.total));
    }
    text += fmt::format("{} of {} {}", grouped(count.done), grouped(count.total), unit);
    // Rates of the first moments say nothing.
    if (count.done == 0 || seconds < 0.05) return text;
    const double rate = static_cast<double>(count.done) / seconds;
    text += fmt::format(", {}/s", grouped(static_cast<unsigned long long>(rate)));
    if (count.done >= count.total) return text;
    return text + fmt::format(", {} left", clock_text(static_cast<double>(count.total - count.done) / rate));
}

Progress::Progress()
    : on_terminal_(bench::is_live_terminal(stderr)), look_(Look::of(stderr)), drawer_([this] { run(); }) {}

Progress::~Progress() {
    end();
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    drawer_.join();
}

void Progress::begin(std::string name, std::string unit, std::function<ProgressCount()> count) {
    const std::lock_guard lock(mutex_);
    name_ = std::move(name);
    unit_ = std::move(unit);
    count_ = std::move(count);
    started_ = Clock::now();
}

void Progress::end() {
    const std::lock_guard lock(mutex_);
    count_ = nullptr;
    wipe();
}

void Progress::run() {
    std::unique_lock lock(mutex_);
    Clock::time_point next_line = Clock::now() + kBetweenLines;
    while (!changed_.wait_for(lock, kRedraw, [this] { return over_; })) {
        if (!count_) continue;
        if (on_terminal_) {
            draw();
        } else if (Clock::now() >= next_line) {
            next_line += kBetweenLines;
            const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
            fmt::print(stderr, "{}\n", progress_text(Look(false), name_, unit_, count_(), seconds));
        }
    }
}

void show_time(Progress& progress, std::string name, double seconds) {
    const auto start = std::chrono::steady_clock::now();
    const auto total = static_cast<std::uint64_t>(seconds * 1e3);
    progress.begin(std::move(name), std::string(kMilliseconds), [start, total] {
        const auto passed = std::chrono::steady_clock::now() - start;
        const auto done = std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
        return ProgressCount{std::min(static_cast<std::uint64_t>(done), total), total};
    });
}

void Progress::draw() {
    const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
    const std::string text =
        bench::fitting(progress_text(look_, name_, unit_, count_(), seconds), bench::terminal_columns(stderr));
    wipe();
    fmt::print(stderr, "{}", text);
    std::fflush(stderr);
    drawn_ = bench::characters_in(text);
}

void Progress::wipe() {
    if (drawn_ == 0) return;
    fmt::print(stderr, "\r{}\r", std::string(drawn_, ' '));
    std::fflush(stderr);
    drawn_ = 0;
}

}  // namespace quarry::app
