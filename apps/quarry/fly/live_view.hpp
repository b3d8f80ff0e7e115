#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

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

    // Each step of a chunk: it keeps track of those that are under way.
    void note(const terrain::ChunkTransition& step);
    void operator()(const FlyMoment& moment);
    // One picture: a map around the viewer with the level of what is shown and the states of chunks under way, a bar a
    // worker, the budget.
    std::string draw(const FlyMoment& moment, const PoolStats& since) const;

  private:
    struct UnderWay {
        terrain::ChunkKey key;
        char letter = 0;  // of its state; 0: it is not under way
    };

    std::string map_around(const FlyMoment& moment) const;
    std::string painted(std::string_view row) const;
    std::vector<std::string> figures_of(const FlyMoment& moment, const PoolStats& since) const;

    std::FILE* out_;
    Pool& pool_;
    const FlyOptions& options_;
    Look look_;
    PoolStats before_;
    std::vector<UnderWay> under_way_;  // by slot
    int lines_ = 0;
};

}  // namespace quarry::app
