#include "harness/table.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::bench {
namespace {

constexpr const char* kRed = "\033[31m";
constexpr const char* kGreen = "\033[32m";

Result timed(const char* row, const char* engine, int workers, double value) {
    return {row, row, engine, workers, value, "ns", 3, 0.125};
}

// Quarry beside a baseline and two peers; the others are for the eye only.
RunOptions some_engines() {
    RunOptions options{.rows = {{.name = "fib", .what = ""}}, .workers = {1, 2}, .engines = {}, .runs = 3};
    for (const char* name : {"quarry", "traced", "bare", "tbb", "rayon", "bare_rust"}) {
        options.engines.push_back({name, {}, ""});
    }
    return options;
}

std::string table_of(const RunReport& report, const RunOptions& options, bool colour = false) {
    return format_table(report, options, {"a processor", 2, "AVX2"}, colour);
}

// The words of the lines that begin with this one.
std::vector<std::vector<std::string>> lines_with(const std::string& table, const std::string& first) {
    std::vector<std::vector<std::string>> found;
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::vector<std::string> all;
        for (std::string word; words >> word;) all.push_back(word);
        if (!all.empty() && all.front() == first) found.push_back(all);
    }
    return found;
}

using Words = std::vector<std::string>;

TEST(Table, RatiosAreOfQuarryToTheBaselineAndToTheBestPeerOnAsManyWorkers) {
    RunReport report;
    report.results = {timed("fib", "quarry", 1, 3),  timed("fib", "traced", 1, 0.5), timed("fib", "bare", 1, 2),
                      timed("fib", "tbb", 1, 24),    timed("fib", "rayon", 1, 6),    timed("fib", "bare_rust", 1, 0.25),
                      timed("fib", "quarry", 2, 12), timed("fib", "bare", 2, 4),     timed("fib", "tbb", 2, 8),
                      timed("fib", "rayon", 2, 9),   timed("fib", "traced", 2, 13)};
    const auto lines = lines_with(table_of(report, some_engines()), "fib");
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0], (Words{"fib", "ns", "3.00", "0.50", "2.00", "24.0", "6.00", "1.50", "0.50", "12%"}))
        << "neither a traced Quarry nor plain Rust is a peer";
    EXPECT_EQ(lines[1], (Words{"fib", "ns", "12.0", "13.0", "4.00", "8.00", "9.00", "3.00", "1.50", "12%"}));
}

TEST(Table, ColumnsNeverRunTogether) {
    RunReport report;
    report.results = {timed("fib", "quarry", 1, 123'456'789), timed("fib", "traced", 1, 123'456'789),
                      timed("fib", "bare", 1, 12.3), timed("fib", "tbb", 1, 12.3),
                      timed("fib", "rayon", 1, 987'654'321)};
    report.results[0].spread = 12'345;
    const auto lines = lines_with(table_of(report, some_engines()), "fib");
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0], (Words{"fib", "ns", "123456789", "123456789", "12.3", "12.3", "987654321", "10037137",
                               "10037137", "1234500%"}));
}

TEST(Table, PeerThatIsAheadIsShownInRed) {
    RunReport report;
    report.results = {timed("fib", "quarry", 1, 3), timed("fib", "bare", 1, 1), timed("fib", "tbb", 1, 4)};
    const std::string ahead = table_of(report, some_engines(), true);
    EXPECT_NE(ahead.find(std::string(kGreen) + "   0.75"), std::string::npos) << ahead;
    EXPECT_EQ(ahead.find(kRed), std::string::npos) << "the baseline is no opponent";
    report.results[2].value = 2;
    EXPECT_NE(table_of(report, some_engines(), true).find(std::string(kRed) + "   1.50"), std::string::npos);
}

TEST(Table, NothingOverNothingIsAnEqualsSign) {
    RunReport report;
    report.results = {timed("fib", "quarry", 1, 0), timed("fib", "bare", 1, 0), timed("fib", "tbb", 1, 0.0001)};
    const auto lines = lines_with(table_of(report, some_engines()), "fib");
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(lines[0], (Words{"fib", "ns", "0", "0", "0", "=", "=", "12%"}));
}

TEST(Table, EngineWithoutAFigureIsMarkedAndItsReasonGivenOnce) {
    RunReport report;
    for (const int workers : {1, 2}) {
        report.results.push_back(timed("fib", "quarry", workers, 3));
        report.gaps.push_back({"fib", "tbb", workers, "died", "killed by signal 11"});
        report.gaps.push_back({"fib", "rayon", workers, "-", "has no fib"});
    }
    const std::string table = table_of(report, some_engines());
    const auto lines = lines_with(table, "fib");
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0], (Words{"fib", "ns", "3.00", "died", "-", "12%"})) << "no best peer, no ratio";
    EXPECT_EQ(lines_with(table, "tbb,"),
              (std::vector<Words>{{"tbb,", "fib:", "died:", "killed", "by", "signal", "11"}}));
    EXPECT_EQ(lines_with(table, "rayon,"), (std::vector<Words>{{"rayon,", "fib:", "has", "no", "fib"}}));
}

TEST(Table, RowForTheLargestNumberOfWorkersAndMemoryStandOnce) {
    RunOptions options = some_engines();
    options.rows.push_back({.name = "wake", .what = "", .largest_only = true});
    RunReport report;
    report.results = {timed("fib", "quarry", 1, 3), timed("fib", "quarry", 2, 2), timed("wake", "quarry", 2, 5)};
    for (const int workers : {1, 2}) {
        report.results.push_back({"fib", "fib_memory", "quarry", workers, 7.0 + workers, "MiB", 3, 0});
    }
    const std::string table = table_of(report, options);
    EXPECT_EQ(lines_with(table, "wake").size(), 1u);
    EXPECT_EQ(lines_with(table, "fib_memory").size(), 0u);
    EXPECT_EQ(
        lines_with(table, "fib"),
        (std::vector<Words>{{"fib", "ns", "3.00", "12%"}, {"fib", "ns", "2.00", "12%"}, {"fib", "MiB", "9.00", "0%"}}));
    EXPECT_LT(table.find("wake"), table.find("peak memory, 2 workers"));
}

}  // namespace
}  // namespace quarry::bench
