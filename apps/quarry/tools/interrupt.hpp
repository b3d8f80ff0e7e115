#pragma once

#include <atomic>
#include <functional>
#include <stop_token>
#include <thread>

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigset_t is not in <csignal>

#include "tools/output_files.hpp"

namespace quarry::app {

// Takes SIGINT, SIGTERM, SIGHUP and SIGQUIT as a wish to stop. To be made before other threads are, for these must not
// get the signals themselves. A second signal ends the process at once, after `at_once` has been called. SIGXFSZ is
// ignored, so that a file that must not grow is an error like any other.
class Interrupt {
  public:
    explicit Interrupt(std::function<void()> at_once = {});
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    ~Interrupt();

    std::stop_token stop_token() const { return source_.get_token(); }
    // The first signal that came; 0 if none did.
    int signal() const noexcept { return signal_; }

  private:
    void watch();

    std::function<void()> at_once_;
    std::stop_source source_;
    std::atomic<int> signal_{0};
    sigset_t before_{};
    int signals_;
    int end_;
    std::thread watcher_;
};

// What a process that a signal has ended gives as its status, as shells see it.
constexpr int status_of_signal(int signal) {
    return 128 + signal;
}

// Calls work(stop token) and gives its status; where a signal has stopped it, says so and gives the signal's status.
// Files that it has not committed are gone then.
int run_interruptible(OutputFiles& files, const std::function<int(std::stop_token)>& work);

}  // namespace quarry::app
