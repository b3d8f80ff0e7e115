#pragma once

#include <cstdint>
#include <stop_token>

#include "quarry/export.hpp"

namespace quarry {

// Where a submitted job runs. Jobs of a scope, a join or a loop stay in the lane of the job that opened it; if that is
// a task that the thread waiting for it runs, in the lane of that thread's job.
enum class Lane : std::uint8_t {
    frame,       // on the workers; must finish soon, and goes before background
    background,  // on the workers that are not reserved for the frame; may take many frames
    io,          // on threads of its own; may block
    host,        // on the host's thread, when that calls Pool::run_host_jobs
};
inline constexpr int kLanes = 4;

// Within a lane, what waits longest of the highest priority starts first. Work that a worker has begun to split among
// others (scopes, joins, loops) is not put back for a job that has not started, unless that is high or urgent.
enum class Priority : std::uint8_t { low, normal, high, urgent };
inline constexpr int kPriorities = 4;

// How a job is submitted.
struct SubmitOptions {
    Lane lane = Lane::frame;               // which threads run it
    Priority priority = Priority::normal;  // before which others it starts
    std::stop_token stop_token = {};       // once requested, the job is cancelled if it has not started
    const char* name = nullptr;            // in traces; not copied, so best a literal
};

}  // namespace quarry
