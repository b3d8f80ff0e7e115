#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "terrain/rows.hpp"
#include "terrain/run.hpp"

namespace quarry::bench {
namespace {

Result figure(const char* name, const char* engine, int workers, double value, const char* unit) {
    return {name, name, engine, workers, value, unit, 3, 0.1};
}

const Result* find(const std::vector<Result>& results, const std::string& name, int workers) {
    for (const Result& result : results) {
        if (result.name == name && result.workers == workers) return &result;
    }
    return nullptr;
}

TEST(TerrainRows, EachHasANameOfItsOwn) {
    std::set<std::string_view> names;
    for (const TerrainRow& row : terrain_rows()) {
        EXPECT_TRUE(names.insert(row.info.name).second) << row.info.name;
        ASSERT_NE(find_terrain_row(row.info.name), nullptr);
        EXPECT_EQ(find_terrain_row(row.info.name)->part, row.part);
    }
    EXPECT_EQ(find_terrain_row("lod6"), nullptr);
}

TEST(TerrainRows, AimsAreThoseOfTheRequirements) {
    EXPECT_EQ(terrain_aim("lod2", 1, true)->value, 8'000);
    EXPECT_EQ(terrain_aim("lod3", 1, true)->value, 4'000);
    EXPECT_FALSE(terrain_aim("lod0", 1, false)) << "they say AVX-512";
    EXPECT_EQ(terrain_aim("world", 2, false)->value, 0.5) << "R3";
    EXPECT_FALSE(terrain_aim("world", 1, true)) << "they say 2 cores";
    EXPECT_FALSE(terrain_aim("noise_row", 1, true));
}

TEST(TerrainRows, RatesAndSharesAreBetterHigherTimesAndSizesLower) {
    for (const char* unit : {"chunks/s", "%", "x"}) EXPECT_TRUE(higher_is_better(unit)) << unit;
    for (const char* unit : {"ns", "us", "s", "MiB"}) EXPECT_FALSE(higher_is_better(unit)) << unit;
}

TEST(TerrainRun, EfficiencyIsTheShareOfTheWorkersTimeThatIsNotLost) {
    std::vector<Result> results{figure("world", "quarry", 1, 1.0, "s"), figure("world", "quarry", 2, 0.625, "s")};
    add_derived(*find_terrain_row("world"), results);
    ASSERT_EQ(results.size(), 3u);
    const Result* const efficiency = find(results, "world_efficiency", 2);
    ASSERT_NE(efficiency, nullptr);
    EXPECT_DOUBLE_EQ(efficiency->value, 80);
    EXPECT_EQ(efficiency->unit, "%");
    EXPECT_DOUBLE_EQ(efficiency->spread, 0.2) << "that of both";
}

TEST(TerrainRun, ChunksAreComparedWithTheFastestPeerOnAsManyWorkers) {
    std::vector<Result> results{
        figure("chunks", "quarry", 1, 900, "chunks/s"), figure("chunks", "slow", 1, 100, "chunks/s"),
        figure("chunks", "fast", 1, 300, "chunks/s"), figure("chunks", "quarry", 2, 1'500, "chunks/s"),
        figure("chunks", "fast", 2, 500, "chunks/s")};
    add_derived(*find_terrain_row("chunks"), results);
    ASSERT_EQ(results.size(), 8u);
    EXPECT_DOUBLE_EQ(find(results, "chunks_times", 1)->value, 3);
    EXPECT_DOUBLE_EQ(find(results, "chunks_times", 2)->value, 3);
    EXPECT_NEAR(find(results, "chunks_efficiency", 2)->value, 83.33, 0.01);
}

TEST(TerrainRun, NothingIsDerivedFromWhatWasNotMeasured) {
    std::vector<Result> alone{figure("world", "quarry", 2, 0.5, "s")};
    add_derived(*find_terrain_row("world"), alone);
    EXPECT_EQ(alone.size(), 1u);
    std::vector<Result> without_peers{figure("chunks", "quarry", 1, 900, "chunks/s")};
    add_derived(*find_terrain_row("chunks"), without_peers);
    EXPECT_EQ(without_peers.size(), 1u);
}

}  // namespace
}  // namespace quarry::bench
