#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/jobs/task_graph.hpp"

namespace quarry::ecs {

// What one system did in a tick. Times count from the start of the tick.
struct SystemReport {
    const std::string* name = nullptr;             // lives as long as the schedule
    NodeOutcome outcome = NodeOutcome::cancelled;  // how it ended
    std::chrono::nanoseconds ready{};              // all before it had ended; `started - ready` is what it waited
    std::chrono::nanoseconds started{};            // from the start of the tick
    std::chrono::nanoseconds ended{};              // from the start of the tick
    std::uint32_t ranges = 0;                      // runs of neighbouring entities; 1 for a system without entities
    std::uint32_t workers = 0;                     // threads that took part
    std::uint32_t steals = 0;                      // ranges that began on another thread than the first one
    std::uint64_t commands = 0;                    // that it recorded

    // How long it ran, and how long it waited to start.
    std::chrono::nanoseconds time() const noexcept { return ended - started; }
    std::chrono::nanoseconds wait() const noexcept { return started - ready; }
};

// One phase, or one part of it that ends with a sync point.
struct PhaseReport {
    std::string name;                          // of the phase
    std::size_t first_system = 0;              // in TickReport::systems
    std::size_t last_system = 0;               // one past the last
    std::chrono::nanoseconds started{};        // from the start of the tick
    std::chrono::nanoseconds ended{};          // of its systems
    std::chrono::nanoseconds applying{};       // its commands
    std::chrono::nanoseconds critical_path{};  // the longest chain of systems that had to wait for each other
    double parallel_efficiency = 0;            // time of all systems over wall time and workers: 1 is perfect
    std::uint64_t commands = 0;                // that its systems recorded
    std::uint64_t rejected = 0;  // commands to entities that are gone, or to components that are not there
};

// One thing that went wrong in a tick.
struct SystemError {
    std::string system;                   // its name
    std::string phase;                    // of the system
    std::optional<IndexRange> range;      // of the entities that were being visited
    std::optional<std::uint64_t> entity;  // the index at which it happened, where that is known
    std::string what;                     // the message
    std::exception_ptr error;             // null for a command that was rejected
};

// What one tick did.
struct TickReport {
    std::uint64_t tick = 0;             // 1, 2, ...
    int workers = 1;                    // threads that could take part
    std::chrono::nanoseconds wall{};    // time of the whole tick
    std::vector<SystemReport> systems;  // in the order of the plan
    std::vector<PhaseReport> phases;    // in their order
    std::vector<SystemError> errors;    // at most ScheduleOptions::most_errors
    std::uint64_t errors_beyond = 0;    // further ones, only counted
    std::uint64_t commands = 0;         // that were recorded
    std::uint64_t rejected = 0;         // commands that were not applied
    bool stopped = false;               // by ErrorPolicy::stop: systems that did not start are `cancelled`

    // Whether nothing went wrong.
    bool ok() const noexcept { return errors.empty(); }
    // Throws what the first failed system threw, or quarry::Error for a command that was rejected, if there is one.
    QUARRY_API void rethrow() const;
    QUARRY_API void write_json(std::ostream& out) const;
};

}  // namespace quarry::ecs
