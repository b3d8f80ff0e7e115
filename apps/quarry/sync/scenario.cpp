#include "sync/scenario.hpp"

#include <array>

namespace quarry::app {
namespace {

// By increments and two multiplications (the finaliser of MurmurHash3): the distributions of <random> differ between
// standard libraries.
class Numbers {
  public:
    explicit Numbers(std::uint64_t seed) : state_(seed) {}

    // From 0 to less than 1.
    double next() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t bits = state_;
        bits = (bits ^ (bits >> 33)) * 0xff51afd7ed558ccd;
        bits = (bits ^ (bits >> 33)) * 0xc4ceb9fe1a85ec53;
        bits ^= bits >> 33;
        return static_cast<double>(bits >> 11) * 0x1p-53;
    }

  private:
    std::uint64_t state_;
};

std::chrono::nanoseconds from_ms(double milliseconds) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(milliseconds * 1e6));
}

bool is_due(int frame, int every) {
    return every != 0 && frame % every == 0;
}

}  // namespace

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
    Numbers numbers(seed);
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
