#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "tools/terminal.hpp"

namespace quarry::app {

struct ProgressCount {
    std::uint64_t done = 0;
    std::uint64_t total = 0;  // 0: not known yet
};

// The unit of work that takes a known time: counted in milliseconds, shown as 0:02 of 0:05.
inline constexpr std::string_view kMilliseconds = "ms";

// "meshing  [####......]  40 %  2,881 of 6,406 chunks, 12,345/s, 0:03 left"
std::string progress_text(const Look& look, std::string_view name, std::string_view unit, ProgressCount count,
                          double seconds);

// Shows on the standard error output how far work has come: on a terminal a bar that is drawn again ten times a second
// and fits the line, elsewhere a plain line every ten seconds.
class Progress {
  public:
    Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();

    // One stage; ends with the next one, or with end(). Count is called from another thread.
    void begin(std::string name, std::string unit, std::function<ProgressCount()> count);
    void end();

  private:
    using Clock = std::chrono::steady_clock;

    void run();
    void draw();
    void wipe();

    bool on_terminal_;
    Look look_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    std::string name_;
    std::string unit_;
    std::function<ProgressCount()> count_;
    Clock::time_point started_;
    std::size_t drawn_ = 0;  // characters on the terminal's line
    std::thread drawer_;
};

// A stage of work that takes so many seconds.
void show_time(Progress& progress, std::string name, double seconds);

// What a long run takes with it: somebody who watches, and somebody who may want it to end early.
struct RunControl {
    Progress* progress = nullptr;
    std::stop_token stop_token{};
};

}  // namespace quarry::app
