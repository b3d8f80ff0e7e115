#pragma once

#include "sync/ideal_machine.hpp"
#include "sync/loop.hpp"

namespace quarry::app {

// The loop's host on an ideal machine: the load alone decides what is late.
class IdealHost final : public SyncHost {
  public:
    IdealHost(int cores, int workers) : machine_(cores, workers) {}

    time_point now() override { return machine_.now(); }
    void wait_until(time_point moment) override { machine_.wait_until(moment); }
    void render(std::chrono::nanoseconds cost) override { machine_.compute(cost); }
    void submit(std::chrono::nanoseconds length, std::uint64_t id) override { machine_.submit(length, id); }
    void deliver(std::chrono::nanoseconds, const std::function<void(std::uint64_t)>& apply) override {
        for (const std::uint64_t id : machine_.take_finished()) apply(id);
    }

  private:
    IdealMachine machine_;
};

}  // namespace quarry::app
