#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace quarry::app {

// A machine in virtual time that hands over, switches and schedules at no cost: at every moment each core that the
// host's thread leaves free works on one of the oldest jobs that are not done, as many at once as there are workers.
// Jobs that a host takes a core from stand still and go on later, the newest first to stand.
class IdealMachine {
  public:
    using time_point = std::chrono::steady_clock::time_point;

    IdealMachine(int cores, int workers) : cores_(cores), workers_(workers) {}

    time_point now() const noexcept { return now_; }
    void submit(std::chrono::nanoseconds length, std::uint64_t id) { waiting_.push_back({length, id}); }
    // Lets time pass to that moment (a past one: no time), with the host's thread off the processor or on it.
    void wait_until(time_point moment) { pass(moment, 0); }
    void compute(std::chrono::nanoseconds length) { pass(now_ + length, 1); }

    // The jobs that have ended since the last call, in the order of their ends.
    std::vector<std::uint64_t> take_finished();
    std::size_t unfinished() const noexcept { return waiting_.size(); }

  private:
    struct Job {
        std::chrono::nanoseconds left;
        std::uint64_t id;
    };

    void pass(time_point moment, int taken_cores);
    std::size_t running(int taken_cores) const noexcept;

    int cores_;
    int workers_;
    time_point now_{};
    std::vector<Job> waiting_;  // oldest first
    std::vector<std::uint64_t> finished_;
};

}  // namespace quarry::app
