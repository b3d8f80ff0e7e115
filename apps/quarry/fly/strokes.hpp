#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>

#include <quarry/terrain/edit_world.hpp>
#include <quarry/terrain/streamer.hpp>

#include "fly/flight.hpp"
#include "fly/options.hpp"

namespace quarry::app {

// Digs on the ground ahead of the first viewer, in strokes of most of a second; nothing if that was not asked for.
class Strokes {
  public:
    explicit Strokes(const FlyOptions& options);

    // What to stream, and how: a frame has its budget for hand-overs, too, so an update waits for half of it.
    std::shared_ptr<const terrain::Field> field();
    terrain::StreamerOptions streamer_options() const;

    // The edit of a frame.
    void make(terrain::Streamer& streamer, double seconds, std::size_t frame, FlyOutcome& outcome);
    // Events of the kind `changed` say which edits are shown.
    void note(const terrain::StreamEvent& event, std::size_t frame, FlyOutcome& outcome);

  private:
    struct Made {
        std::chrono::steady_clock::time_point at;
        std::size_t frame = 0;
    };

    const FlyOptions& options_;
    std::optional<terrain::EditWorld> world_;
    std::deque<Made> waiting_;  // made, and not shown yet
};

}  // namespace quarry::app
