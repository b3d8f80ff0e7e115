#include "bench/terrain_table.hpp"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace quarry::app {
namespace {

bench::Result figure(const char* row, const char* name, const char* engine, int workers, double value,
                     const char* unit) {
    return {row, name, engine, workers, value, unit, 5, 0.03};
}

bench::TerrainRun run_on(const std::string& target) {
    bench::TerrainRun run;
    run.target = target;
    run.other_targets = {"scalar"};
    run.peers = {{"transvoxel", {}, ""}};
    return run;
}

std::string table_of(const bench::RunReport& report, const std::string& target = "avx512") {
    return terrain_table(report, run_on(target), {"A processor", 2, "avx512"}, Look(false));
}

std::string line_of(const std::string& table, const std::string& name) {
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(name + " ")) return line;
    }
    return "";
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(TerrainTable, SaysWhetherAnAimIsReached) {
    bench::RunReport report;
    report.results = {
        figure("lod0", "lod0", "quarry", 1, 8'000, "chunks/s"), figure("lod1", "lod1", "quarry", 1, 7'999, "chunks/s"),
        figure("world", "world", "quarry", 2, 0.49, "s"), figure("world", "world_beyond", "quarry", 2, 64.1, "MiB")};
    const std::string table = table_of(report);
    EXPECT_TRUE(holds(line_of(table, "lod0"), ">= 8,000      yes")) << table;
    EXPECT_TRUE(holds(line_of(table, "lod1"), ">= 8,000       no")) << table;
    EXPECT_TRUE(holds(line_of(table, "world"), "<= 0.5      yes")) << table;
    EXPECT_TRUE(holds(line_of(table, "world_beyond"), "<= 64       no")) << table;
    EXPECT_FALSE(holds(line_of(table_of(report, "avx2"), "lod0"), ">=")) << "that aim is for AVX-512";
}

TEST(TerrainTable, RatiosSayHowManyTimesBetterThanTheBaseline) {
    bench::RunReport report;
    report.results = {figure("lod0", "lod0", "quarry", 1, 8'000, "chunks/s"),
                      figure("lod0", "lod0", "scalar", 1, 1'000, "chunks/s"),
                      figure("chunks", "chunks", "quarry", 1, 9'000, "chunks/s"),
                      figure("chunks", "chunks", "transvoxel", 1, 200, "chunks/s"),
                      figure("world", "world", "quarry", 1, 1.0, "s"),
                      figure("world", "world", "quarry", 2, 0.5, "s"),
                      figure("noise", "noise_row", "quarry", 1, 2.0, "ns"),
                      figure("noise", "noise_row", "scalar", 1, 9.0, "ns")};
    const std::string table = table_of(report);
    EXPECT_TRUE(holds(line_of(table, "lod0"), "1,000 scalar   8.00x")) << table;
    EXPECT_TRUE(holds(line_of(table, "chunks"), "200 transvoxel   45.0x")) << table;
    EXPECT_TRUE(holds(table, "1.00 1 worker   2.00x")) << table;
    EXPECT_TRUE(holds(line_of(table, "noise_row"), "4.50x")) << table;
}

TEST(TerrainTable, EngineWithoutAFigureIsNamedWithItsReason) {
    bench::RunReport report;
    report.results = {figure("chunks", "chunks", "quarry", 1, 9'000, "chunks/s")};
    report.gaps = {{"chunks", "transvoxel", 1, "died", "killed by signal 9"}};
    EXPECT_TRUE(holds(table_of(report), "transvoxel, chunks, 1 worker: died: killed by signal 9"));
}

}  // namespace
}  // namespace quarry::app
