#pragma once

#include <cstdio>
#include <string>

#include <quarry/jobs/pool.hpp>

#include "fly/flight.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {

// What a flight looks like on a terminal, drawn over itself some ten times a second.
class LiveView {
  public:
    LiveView(std::FILE* out, Pool& pool, const FlyOptions& options);
    LiveView(const LiveView&) = delete;
    LiveView& operator=(const LiveView&) = delete;
    ~LiveView();

    void operator()(const FlyMoment& moment);
    // One picture: a map around the viewer with the level of what is shown, a bar a worker, the budget.
    std::string draw(const FlyMoment& moment, const PoolStats& since) const;

  private:
    std::FILE* out_;
    Pool& pool_;
    const FlyOptions& options_;
    Look look_;
    PoolStats before_;
    int lines_ = 0;
};

}  // namespace quarry::app
