#include "sync/scenario.hpp"

#include <array>

#include "sync/random_numbers.hpp"

namespace quarry::app {
namespace {

bool is_due(int frame, int every) {
    return every != 0 && frame % every == 0;
}

}  // namespace

std::chrono::nanoseconds from_ms(double milliseconds) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(milliseconds * 1e6));
}

std::span<const Scenario> all_scenarios() {
    static constexpr std::array<Scenario, 6> kScenarios{
        Scenario{.name = "BASELINE", .frames = 60, .jobs = 1, .least_ms = 0, .most_ms = 0.1},
        {.name = "LIGHT", .frames = 90, .jobs = 5, .least_ms = 1, .most_ms = 3},
        {.name = "MEDIUM", .frames = 90, .jobs = 15, .least_ms = 2, .most_ms = 5},
        {.name = "HEAVY", .frames = 90, .jobs = 30, .least_ms = 3, .most_ms = 8},
        {.name = "BURST", .frames = 90, .jobs = 5, .least_ms = 2, .most_ms = 5, .extra_jobs = 50, .extra_every = 30},
        {.name = "CATCHUP",
         .frames = 120,
         .jobs = 10,
         .least_ms = 2,
         .most_ms = 5,
         .stall_ms = 100,
         .stall_every = 15}};
    return kScenarios;
}

std::vector<FrameLoad> make_load(const Scenario& scenario, std::uint64_t seed) {
    RandomNumbers numbers(seed);
    std::vector<FrameLoad> load(static_cast<std::size_t>(scenario.frames));
    for (int frame = 0; frame < scenario.frames; ++frame) {
        FrameLoad& each = load[static_cast<std::size_t>(frame)];
        const int jobs = scenario.jobs + (is_due(frame, scenario.extra_every) ? scenario.extra_jobs : 0);
        for (int job = 0; job < jobs; ++job) {
            each.jobs.push_back(from_ms(scenario.least_ms + (scenario.most_ms - scenario.least_ms) * numbers.next()));
        }
        if (frame != 0 && is_due(frame, scenario.stall_every)) each.stall = from_ms(scenario.stall_ms);
    }
    return load;
}

}  // namespace quarry::app
