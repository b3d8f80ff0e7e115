#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace quarry::app {

// A load on a host that lives by frames: how many jobs it hands over in each, how long these are, what comes between.
struct Scenario {
    std::string_view name;
    int frames = 0;
    int jobs = 0;  // each frame
    double least_ms = 0;
    double most_ms = 0;
    int extra_jobs = 0;  // on top of these, in every extra_every-th frame
    int extra_every = 0;
    double stall_ms = 0;  // the host stands still before every stall_every-th frame, but not before the first
    int stall_every = 0;
};

std::chrono::nanoseconds from_ms(double milliseconds);

std::span<const Scenario> all_scenarios();

struct FrameLoad {
    std::vector<std::chrono::nanoseconds> jobs;
    std::chrono::nanoseconds stall{};  // before the frame
};

// The same for the same seed, on every machine.
std::vector<FrameLoad> make_load(const Scenario& scenario, std::uint64_t seed);

}  // namespace quarry::app
