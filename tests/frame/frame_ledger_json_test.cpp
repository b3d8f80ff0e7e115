// R44: the ledger's figures as JSON, read back by another library.
#include <chrono>
#include <cstdint>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "quarry/frame/frame_ledger.hpp"

namespace quarry {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

std::string written(const FrameLedger& ledger) {
    std::ostringstream out;
    ledger.write_json(out);
    return out.str();
}

TEST(FrameLedgerJson, FreshLedgerIsAllZero) {
    const json report = json::parse(written(FrameLedger()));
    EXPECT_EQ(report["frames"], 0);
    EXPECT_EQ(report["latency"]["mean"], 0);
    EXPECT_EQ(report["stale_percent"], 0);
    EXPECT_EQ(report["policy"], "apply");
    EXPECT_EQ(report["stale_after"], 2);
    EXPECT_EQ(report["recent"], json::array());
}

TEST(FrameLedgerJson, HoldsEveryFigure) {
    FrameLedger ledger({.hertz = 59.94, .stale = StalePolicy::drop_older_than(1), .history = 2});
    const FrameLedger::time_point start(1h);
    ledger.begin_frame(start);
    const std::vector<FrameTag> tags{ledger.submitted(), ledger.submitted(), ledger.submitted(), ledger.submitted()};
    ledger.end_frame(start + 5ms);
    ledger.begin_frame(start + 16ms);
    EXPECT_TRUE(ledger.returned(tags[0]));
    ledger.end_frame(start + 16ms + 40ms);
    ledger.begin_frame(start + 60ms);
    EXPECT_FALSE(ledger.returned(tags[1]));
    EXPECT_FALSE(ledger.returned(tags[2]));
    ledger.withdrawn(tags[3]);
    ledger.submitted();
    ledger.note({.steps = 3, .dropped_steps = 7, .dropped_time = 116'783'450ns});
    ledger.end_frame(start + 60ms + 123'457ns);

    json histogram = json::array();
    for (std::size_t i = 0; i < FrameLedgerStats::kBuckets; ++i) histogram.push_back(i == 1 ? 1 : i == 2 ? 2 : 0);
    const json expected = {
        {"frames", 3},
        {"hertz", 59.94},
        {"submitted", 5},
        {"returned", 3},
        {"withdrawn", 1},
        {"outstanding", 1},
        {"latency", {{"unit", "frames"}, {"mean", 5.0 / 3.0}, {"max", 2}, {"histogram", histogram}, {"later", 0}}},
        {"policy", "drop"},
        {"stale_after", 1},
        {"stale", 2},
        {"dropped", 2},
        {"stale_percent", 200.0 / 3.0},
        {"overrun_frames", 1},
        {"missed_frames", 2},
        {"dropped_steps", 7},
        {"dropped_nanoseconds", 116'783'450},
        {"frame_nanoseconds_sum", 45'123'457},
        {"frame_nanoseconds_max", 40'000'000},
        {"recent",
         {{{"frame", 2},
           {"submitted", 0},
           {"returned", 1},
           {"stale", 0},
           {"latency_sum", 1},
           {"missed", 2},
           {"nanoseconds", 40'000'000}},
          {{"frame", 3},
           {"submitted", 1},
           {"returned", 2},
           {"stale", 2},
           {"latency_sum", 4},
           {"missed", 0},
           {"nanoseconds", 123'457}}}},
    };
    EXPECT_EQ(json::parse(written(ledger)), expected) << written(ledger);
}

struct GermanNumbers : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    char do_decimal_point() const override { return ','; }
    std::string do_grouping() const override { return "\3"; }
};

TEST(FrameLedgerJson, DoesNotDependOnTheStream) {
    FrameLedger ledger({.hertz = 59.94});
    for (int i = 0; i < 12'345; ++i) ledger.submitted();
    ledger.begin_frame(FrameLedger::time_point(0s));
    ledger.end_frame(FrameLedger::time_point(1s));
    std::ostringstream out;
    out.imbue(std::locale(std::locale::classic(), new GermanNumbers));
    out << std::hex << std::showbase;
    ledger.write_json(out);
    EXPECT_EQ(out.str(), written(ledger));
    EXPECT_EQ(json::parse(out.str())["submitted"], 12'345);
}

}  // namespace
}  // namespace quarry
