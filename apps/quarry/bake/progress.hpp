#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "tools/terminal.hpp"

namespace quarry::app {

struct ProgressCount {
    std::uint64_t done = 0;
    std::uint64_t total = 0;  // 0: not known yet
};

// "meshing  [####......]  40 %  2,881 of 6,406 chunks, 12,345/s, 0:03 left"
std::string progress_text(const Look& look, std::string_view name, std::string_view unit, ProgressCount count,
                          double seconds);

// Shows how far work has come: on a terminal a bar that is drawn again ten times a second, elsewhere a plain line every
// ten seconds.
class Progress {
  public:
    // The bar goes to the standard error output if that is a terminal, else lines go to `lines`.
    explicit Progress(std::FILE* lines);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();

    // One stage; ends with the next one, or with end(). Count is called from another thread.
    void begin(std::string name, std::string unit, std::function<ProgressCount()> count);
    void end();

    // A line that stays.
    void say(std::string_view line);

  private:
    using Clock = std::chrono::steady_clock;

    void run();
    void draw();
    void wipe();

    std::FILE* lines_;
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

}  // namespace quarry::app
