#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include <quarry/frame/frame_ledger.hpp>

#include "sync/grade.hpp"
#include "sync/scenario.hpp"

namespace quarry::app {

// What the loop below needs of a host and its workers, real or simulated.
class SyncHost {
  public:
    using time_point = std::chrono::steady_clock::time_point;

    SyncHost() = default;
    SyncHost(const SyncHost&) = delete;
    SyncHost& operator=(const SyncHost&) = delete;
    virtual ~SyncHost() = default;

    virtual time_point now() = 0;
    // The host's thread leaves the processor to the workers; a past moment: returns at once.
    virtual void wait_until(time_point moment) = 0;
    // The host's thread computes.
    virtual void render(std::chrono::nanoseconds cost) = 0;
    virtual void submit(std::chrono::nanoseconds length, std::uint64_t id) = 0;
    // Hands over what has come back, within the budget.
    virtual void deliver(std::chrono::nanoseconds budget, const std::function<void(std::uint64_t)>& apply) = 0;
};

struct LoopOptions {
    double hertz = 30;
    std::chrono::nanoseconds render{};
    // The part of a frame, one in so many, that is kept for results. They are applied as late as that allows, so that
    // what was submitted at the start of the frame can still be in it.
    int delivery_part = 16;
    // How long none may come back, once the last job is submitted, before the rest is given up as lost.
    std::chrono::nanoseconds patience = std::chrono::seconds(20);
    // Ends the submission; what is under way is waited for.
    std::stop_token stop_token{};
    std::atomic<std::uint64_t>* steps = nullptr;  // that are over, for whoever shows progress
};

struct Playback {
    FrameLedgerStats stats;
    std::uint64_t twice = 0;  // results that had come back already
    std::string ledger;       // JSON
    bool cut_short = false;   // it was stopped before its last frame

    SyncFigures figures() const;
    Grade grade() const { return sync_grade(figures()); }
};

// A result is stale when it comes back more than this many frames after its own; it is then dropped, and counted.
inline constexpr int kStaleFrames = 2;
inline constexpr int kMaxCatchUp = 3;

// A host that lives by fixed steps. Each turn: wait for the step; submit its jobs, and those of steps that were missed;
// render; wait until shortly before the next step; apply the results that are there. A frame is a fixed step. Goes on
// after the last until all results are back. The simulated host runs this same loop.
Playback play(const std::vector<FrameLoad>& load, const LoopOptions& options, SyncHost& host);

}  // namespace quarry::app
