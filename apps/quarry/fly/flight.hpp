#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/streamer.hpp>
#include <quarry/terrain/world_file.hpp>

#include "fly/headless_host.hpp"
#include "fly/options.hpp"

namespace quarry::app {

// One frame of a flight; times are CPU time of the host's thread, in microseconds, unless they are named otherwise.
struct FlyFrame {
    double update_us = 0;
    double results_us = 0;  // of it: taking in what workers have made
    double plan_us = 0;     // of it: the plan
    double changes_us = 0;  // of it: beginning changes
    double deliver_us = 0;
    double wall_us = 0;  // both
    std::size_t uploads = 0;

    double total_us() const { return update_us + deliver_us; }
};

// From the call that changes the ground to the event that says it is shown.
struct FlyEdit {
    double ms = 0;
    double frames = 0;  // 0: in the frame of the call
};

// Where a flight that is flown again is not the same.
struct FlyDifference {
    std::size_t frame = 0;  // 1: the first of the arrival
    FlyStage stage = FlyStage::arrival;
    double seconds = 0;
    std::string what;
};

struct FlyOutcome {
    // From the first update; the viewers stand still until the world is complete.
    double first_ring_ms = 0;  // the LOD 0 chunks around each viewer
    double complete_ms = 0;    // all of the plan is shown
    double closed_ms = 0;      // and nothing is left to do: every mask is as it will stay

    std::vector<FlyFrame> frames;
    std::uint64_t over_budget = 0;
    std::size_t deepest_queue = 0;
    std::size_t most_groups = 0;
    std::uint64_t inversions = 0;  // while it fills: chunks shown before one at less than half their distance
    std::uint64_t edits_made = 0;
    std::vector<FlyEdit> edits;  // that are shown, in their order
    std::uint64_t edits_in_frame = 0;
    std::uint64_t edits_late = 0;
    std::uint64_t loose_parts = 0;    // that were cut off from the ground
    std::uint64_t loose_samples = 0;  // solid points of these
    std::size_t brick_bytes = 0;      // of the edits
    std::uint64_t world_hash = 0;     // of all that edits have changed
    std::optional<terrain::WorldFileStats> file;
    FlightLog log;                            // where that was asked for
    std::size_t replayed = 0;                 // frames that were flown again and are the same
    std::optional<FlyDifference> difference;  // the first one
    bool checked = false;
    std::uint64_t holes = 0;          // findings of the checker, of any kind
    std::size_t most_surrounded = 0;  // missing parts at once that were surrounded when the plan took them in
    std::string first_hole;
    std::size_t most_mesh_bytes = 0;  // that the host had
    std::size_t most_tree_bytes = 0;
    terrain::StreamerStats start;  // when the flight began
    terrain::StreamerStats end;    // at rest, after it
    bool ended_at_rest = false;
    bool stopped = false;
    std::vector<double> worker_shares;

    double percentile(double share, double (*of)(const FlyFrame&)) const;
    double mean(double FlyFrame::*part) const;
    double most(double FlyFrame::*part) const;
    double edit_percentile(double share, double FlyEdit::*figure) const;
    double wasted_share() const;
};

// What is told to whoever watches, after each frame.
struct FlyMoment {
    std::size_t frame = 0;
    double seconds = 0;
    const terrain::Viewer& viewer;
    const terrain::Streamer& streamer;
    const HeadlessHost& host;
    const FlyFrame& last;
};
using FlyWatcher = std::function<void(const FlyMoment&)>;

// Flies in real time, unless frames are drawn or flown again: then as fast as they can be.
FlyOutcome run_flight(Pool& pool, const FlyOptions& options, const std::stop_token& stop_token,
                      const FlyWatcher& watcher = {});

}  // namespace quarry::app
