#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <quarry/terrain/edit_log.hpp>
#include <quarry/terrain/edit_world.hpp>
#include <quarry/terrain/loose_parts.hpp>
#include <quarry/terrain/streamer.hpp>
#include <quarry/terrain/world_file.hpp>

#include "fly/flight.hpp"
#include "fly/options.hpp"

namespace quarry::app {

// Digs on the ground ahead of the first viewer, in strokes of most of a second, and keeps edits in a file; each only if
// that was asked for.
class Strokes {
  public:
    // Throws WrongInput for a file that cannot be used.
    Strokes(Pool& pool, const FlyOptions& options);

    // What to stream, and how: a frame has its budget for hand-overs, too, so an update waits for half of it.
    std::shared_ptr<const terrain::Field> field();
    terrain::StreamerOptions streamer_options() const;

    // Once a frame: what the file has brought since, and loose parts that were found.
    void bring(terrain::Streamer& streamer, std::span<const terrain::Viewer> viewers, FlyOutcome& outcome);
    // Whether nothing more comes from the file.
    bool is_complete() const;
    // The edit of a frame.
    void make(terrain::Streamer& streamer, double seconds, std::size_t frame, FlyOutcome& outcome);
    // The edits of a frame of another flight. Throws quarry::Error and std::invalid_argument for what is none.
    void repeat(terrain::Streamer& streamer, std::span<const std::byte> edits, std::size_t frame, FlyOutcome& outcome);
    // The edits since the last call, for repeat().
    std::vector<std::byte> take_log() { return log_.take(); }
    std::uint64_t content_hash() const { return world_ ? world_->content_hash() : 0; }
    // Events of the kind `changed` say which edits are shown.
    void note(const terrain::StreamEvent& event, std::size_t frame, FlyOutcome& outcome);
    // Saves what is left.
    void finish(FlyOutcome& outcome);

  private:
    struct Made {
        std::chrono::steady_clock::time_point at;
        std::size_t frame = 0;
        bool is_from_file = false;
    };

    void take_loose(FlyOutcome& outcome);
    void apply(const terrain::Edit& edit, terrain::Streamer& streamer, std::size_t frame, FlyOutcome& outcome);

    const FlyOptions& options_;
    std::optional<terrain::EditWorld> world_;
    std::optional<terrain::LoosePartFinder> loose_;
    terrain::EditLog log_;
    std::optional<terrain::WorldFile> file_;
    std::deque<Made> waiting_;  // made, and not shown yet
};

}  // namespace quarry::app
