#include <chrono>
#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sync/ideal_host.hpp"
#include "sync/run.hpp"

namespace quarry::app {
namespace {

using namespace std::chrono_literals;
using Lengths = std::vector<std::chrono::nanoseconds>;

// At 10 Hz a frame is 100 ms; results are applied 93.75 ms after its begin.
const LoopOptions kTenHertz{.hertz = 10, .render = {}, .patience = 2s};

// Latency in frames to number of results.
std::map<std::size_t, std::uint64_t> latencies(const Playback& playback) {
    std::map<std::size_t, std::uint64_t> counts;
    for (std::size_t frames = 0; frames < playback.stats.latency.size(); ++frames) {
        if (playback.stats.latency[frames] != 0) counts[frames] = playback.stats.latency[frames];
    }
    return counts;
}

using Counts = std::map<std::size_t, std::uint64_t>;

TEST(SyncLoop, ResultThatIsDoneBeforeTheEndOfItsFrameHasNoLatency) {
    IdealHost host(1, 1);
    const Playback playback = play({{{93ms}, {}}}, kTenHertz, host);
    EXPECT_EQ(latencies(playback), (Counts{{0, 1}}));
    EXPECT_EQ(playback.stats.missed_frames, 0u);
}

TEST(SyncLoop, ResultThatIsDoneLaterHasOneFrameOfLatency) {
    IdealHost host(1, 1);
    EXPECT_EQ(latencies(play({{{94ms}, {}}}, kTenHertz, host)), (Counts{{1, 1}}));
}

// On one core: ends at 50, 100, 150 and (of the second frame, begun at 100) 200 and 250 after the first begin.
TEST(SyncLoop, WorkThatDoesNotFitIsLateByArithmetic) {
    IdealHost host(1, 1);
    const Playback playback = play({{{50ms, 50ms, 50ms}, {}}, {{50ms, 50ms}, {}}}, kTenHertz, host);
    EXPECT_EQ(latencies(playback), (Counts{{0, 1}, {1, 4}}));
    EXPECT_EQ(playback.stats.mean_latency(), 0.8);
    EXPECT_EQ(playback.grade(), Grade::a);
}

// Two cores, but the host renders for 40 ms: job 1 ends at 80, job 2, put aside, at 40 + 80.
TEST(SyncLoop, RenderingTakesACoreFromTheJobs) {
    IdealHost host(2, 2);
    LoopOptions options = kTenHertz;
    EXPECT_EQ(latencies(play({{{80ms, 80ms}, {}}}, options, host)), (Counts{{0, 2}}));
    options.render = 40ms;
    IdealHost rendering(2, 2);
    EXPECT_EQ(latencies(play({{{80ms, 80ms}, {}}}, options, rendering)), (Counts{{0, 1}, {1, 1}}));
}

// The stall of 250 ms begins at 200 ms, when the second frame is due; at 450 ms the frames of 200, 300 and 400 ms are
// due. Their jobs end at 460, 470 and 480 ms, and are applied at 493.75 ms, in the last of these frames.
TEST(SyncLoop, MissedStepsAreCaughtUpAfterAStall) {
    IdealHost host(1, 1);
    const Playback playback = play({{{10ms}, {}}, {{10ms}, 250ms}, {{10ms}, {}}, {{10ms}, {}}}, kTenHertz, host);
    EXPECT_EQ(latencies(playback), (Counts{{0, 2}, {1, 1}, {2, 1}}));
    EXPECT_EQ(playback.stats.frames, 4u);
    EXPECT_EQ(playback.stats.dropped_steps, 0);
}

// At 750 ms six steps are due, three are run: R41.
TEST(SyncLoop, DebtBeyondThreeStepsIsDropped) {
    IdealHost host(1, 1);
    const Playback playback = play({{{10ms}, {}}, {{10ms}, 550ms}, {{10ms}, {}}, {{10ms}, {}}}, kTenHertz, host);
    EXPECT_EQ(latencies(playback), (Counts{{0, 2}, {1, 1}, {2, 1}}));
    EXPECT_EQ(playback.stats.dropped_steps, 3);
}

// One job of 400 ms comes back in the fourth frame after its own: R43.
TEST(SyncLoop, ResultOlderThanTwoFramesIsStaleAndDropped) {
    IdealHost host(1, 1);
    const Playback playback = play({{{290ms, 110ms}, {}}}, kTenHertz, host);
    EXPECT_EQ(latencies(playback), (Counts{{2, 1}, {4, 1}}));
    EXPECT_EQ(playback.stats.stale, 1u);
    EXPECT_EQ(playback.stats.dropped, 1u);
    EXPECT_EQ(playback.figures().stale, 0.5);
}

TEST(SyncLoop, LedgerIsExported) {
    IdealHost host(1, 1);
    const Playback playback = play({{{10ms, 10ms}, {}}}, kTenHertz, host);
    EXPECT_TRUE(nlohmann::json::parse(playback.ledger).is_object());
}

// A host between the loop and the ideal one that misbehaves.
class FaultyHost final : public SyncHost {
  public:
    enum class Fault { loses_the_first, repeats_the_first };
    explicit FaultyHost(Fault fault) : fault_(fault) {}

    time_point now() override { return host_.now(); }
    void wait_until(time_point moment) override { host_.wait_until(moment); }
    void render(std::chrono::nanoseconds cost) override { host_.render(cost); }
    void submit(std::chrono::nanoseconds length, std::uint64_t id) override { host_.submit(length, id); }
    void deliver(std::chrono::nanoseconds budget, const std::function<void(std::uint64_t)>& apply) override {
        host_.deliver(budget, [&](std::uint64_t id) {
            if (id != 0 || fault_ == Fault::repeats_the_first) apply(id);
            if (id == 0 && fault_ == Fault::repeats_the_first) apply(id);
        });
    }

  private:
    Fault fault_;
    IdealHost host_{1, 1};
};

TEST(SyncLoop, LostResultIsGivenUpAndGradedF) {
    FaultyHost host(FaultyHost::Fault::loses_the_first);
    const Playback playback = play({{{10ms, 10ms}, {}}}, kTenHertz, host);
    EXPECT_EQ(playback.stats.outstanding(), 1);
    EXPECT_EQ(playback.grade(), Grade::f);
}

TEST(SyncLoop, ResultThatComesTwiceIsGradedF) {
    FaultyHost host(FaultyHost::Fault::repeats_the_first);
    const Playback playback = play({{{10ms, 10ms}, {}}}, kTenHertz, host);
    EXPECT_EQ(playback.twice, 1u);
    EXPECT_EQ(playback.stats.returned, 2u);
    EXPECT_EQ(playback.grade(), Grade::f);
}

// What 2 cores can do about each scenario, by arithmetic; the real run is compared with it.
TEST(IdealSimulation, GradesOfTheScenariosOnTwoCores) {
    SyncOptions options;
    options.workers = 2;
    std::map<std::string_view, char> grades;
    for (const Scenario& scenario : all_scenarios()) {
        grades[scenario.name] = letter(play_ideal(scenario, options, 2).grade());
    }
    const std::map<std::string_view, char> expected{{"BASELINE", 'A'}, {"LIGHT", 'A'}, {"MEDIUM", 'A'},
                                                    {"HEAVY", 'F'},    {"BURST", 'B'}, {"CATCHUP", 'A'}};
    EXPECT_EQ(grades, expected);
}

TEST(IdealSimulation, EnoughCoresGetAEverywhere) {
    SyncOptions options;
    options.workers = 16;
    for (const Scenario& scenario : all_scenarios()) {
        EXPECT_EQ(play_ideal(scenario, options, 16).grade(), Grade::a) << scenario.name;
    }
}

}  // namespace
}  // namespace quarry::app
