#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/apps/program.hpp"

namespace quarry::tests {
namespace {

using Json = nlohmann::json;

// The names that a help lists under "Subcommands:".
std::vector<std::string> subcommands_in(const std::string& help) {
    std::istringstream lines(help);
    std::vector<std::string> names;
    bool listed = false;
    for (std::string line; std::getline(lines, line);) {
        if (listed && line.rfind("  ", 0) == 0 && line.size() > 2 && line[2] != ' ') {
            names.push_back(line.substr(2, line.find(' ', 2) - 2));
        }
        listed = line.rfind("Subcommands:", 0) == 0 || (listed && !line.empty());
    }
    return names;
}

// Asks for the help of a command and of all below it. Answers how many of them there are.
std::size_t check_help(const std::vector<std::string>& command) {
    std::vector<std::string> words = command;
    words.push_back("--help");
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.status, 0);
    std::string usage = "Usage: quarry";
    for (const std::string& word : command) usage += " " + word;
    EXPECT_NE(outcome.output.find(usage), std::string::npos) << outcome.output;
    std::size_t count = 1;
    for (const std::string& name : subcommands_in(outcome.output)) {
        std::vector<std::string> below = command;
        below.push_back(name);
        count += check_help(below);
    }
    return count;
}

// The program's own list says which there are.
TEST(CommandLine, HelpIsThereForEveryCommand) {
    EXPECT_GT(check_help({}), 20U);
}

TEST(CommandLine, EngineProcessesAreNoCommandForPeople) {
    EXPECT_EQ(run_program({"--help"}).output.find("engine NAME"), std::string::npos);
    EXPECT_EQ(run_program({"engine", "nonsense"}).status, 2);
}

TEST(CommandLine, VersionIsOneLine) {
    const Outcome outcome = run_program({"--version"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(outcome.output.starts_with("quarry ")) << outcome.output;
}

TEST(CommandLine, MissingAndUnknownCommandsAreRefused) {
    expect_refused(run_program({}), "subcommand");
    expect_refused(run_program({"bench"}), "subcommand");
    expect_refused(run_program({"dig"}), "--help");
    expect_refused(run_program({"bench", "jobs", "--deep"}), "--deep");
}

TEST(CommandLine, UnknownWordsAreNamedWithTheNearestKnownOne) {
    struct Case {
        std::vector<std::string> words;
        const char* said;
    };
    for (const Case& each :
         {Case{{"stres"}, "quarry has no subcommand 'stres'; did you mean stress?; see quarry --help"},
          {{"benhc", "jobs"}, "quarry has no subcommand 'benhc'; did you mean bench?"},
          {{"bench", "job"}, "quarry bench has no subcommand 'job'; did you mean jobs?; see quarry bench --help"},
          {{"dig"}, "quarry has no subcommand 'dig'; there are bench, stress, sync, bake, fly, field, world, demo"},
          {{"bake", "--sed", "7"}, "quarry bake has no option '--sed'; did you mean --seed?; see quarry bake --help"},
          {{"bake", "--preveiw=a.png"}, "quarry bake has no option '--preveiw'; did you mean --preview?"},
          {{"sync", "--scenarios", "LIGHT"}, "quarry sync has no option '--scenarios'; did you mean --scenario?"},
          {{"--versoin"}, "quarry has no option '--versoin'; did you mean --version?"},
          {{"stress", "hard"}, "quarry stress has no use for the word 'hard'; see quarry stress --help"},
          {{"stress", "--zzzzzz"}, "quarry stress has no option '--zzzzzz'; see quarry stress --help"},
          {{"stress", "--\n"}, "quarry stress has no option '--?'"}}) {
        expect_refused(run_program(each.words), each.said);
    }
}

TEST(CommandLine, WrongValuesPointToTheHelpOfTheirCommand) {
    expect_refused(run_program({"bake", "--octaves", "0"}), "; see quarry bake --help");
    expect_refused(run_program({"bake", "--world", "cube"}), "; see quarry bake --help");
    expect_refused(run_program({"bake", "--threads"}), "; see quarry bake --help");
    expect_refused(run_program({"bench", "terrain", "--runs", "0"}), "; see quarry bench terrain --help");
}

TEST(CommandLine, WhatIsMissingOrRepeatedIsSaidInWords) {
    expect_refused(run_program({}), "quarry needs a subcommand: bench, stress, sync");
    expect_refused(run_program({"world"}), "quarry world needs a subcommand: info, check");
    expect_refused(run_program({"stress", "--json"}), "quarry: --json needs a value; see quarry stress --help");
    expect_refused(run_program({"stress", "--queue", "1", "--queue", "2"}),
                   "quarry: --queue can be given only once; see");
}

TEST(CommandLine, HelpComesBeforeWhatIsWrong) {
    EXPECT_EQ(run_program({"bake", "--octaves", "0", "--help"}).status, 0);
}

TEST(BenchJobs, UnknownFilterListsTheRows) {
    const Outcome outcome = run_program({"bench", "jobs", "--filter", "nonsense"});
    expect_refused(outcome, "nonsense");
    for (const char* row : {"fib", "tree_sum", "wake", "burst60", "idle"}) {
        EXPECT_NE(outcome.errors.find(row), std::string::npos) << row;
    }
}

TEST(BenchJobs, NumbersOutOfRangeAreRefusedWithTheRange) {
    for (const char* number : {"0", "-1", "1000000000", "99999999999999999999", "two", "1.5", "2x", ""}) {
        expect_refused(run_program({"bench", "jobs", std::string("--workers=") + number}), number);
        expect_refused(run_program({"bench", "jobs", std::string("--runs=") + number}), number);
    }
    expect_refused(run_program({"bench", "jobs", "--workers", "1025"}), "from 1 to 1024");
}

TEST(BenchJobs, EmptyValueIsRefusedAndNotTakenForAnOptionThatWasNotGiven) {
    for (const char* option : {"--workers", "--runs", "--json", "--trace"}) {
        expect_refused(run_program({"bench", "jobs", option, ""}), option);
    }
}

// Refused at once: a run would take longer than this test may.
TEST(BenchJobs, JsonPathThatCanNotBeWrittenIsRefusedBeforeTheRun) {
    expect_refused(run_program({"bench", "jobs", "--json", "/nowhere/at/all/report.json"}),
                   "/nowhere/at/all/report.json");
    expect_refused(run_program({"bench", "jobs", "--json", "/tmp"}), "folder");
}

TEST(BenchJobs, TracePathThatCanNotBeWrittenIsRefusedBeforeTheRun) {
    expect_refused(run_program({"bench", "jobs", "--trace", "/nowhere/at/all/trace.json"}),
                   "/nowhere/at/all/trace.json");
    expect_refused(run_program({"bench", "jobs", "--trace", "/tmp"}), "folder");
    expect_refused(run_program({"bench", "jobs", "--trace", "two\nlines"}), "line breaks");
}

TEST(BenchJobs, ListNamesEveryRow) {
    const Outcome outcome = run_program({"bench", "jobs", "--list"});
    EXPECT_EQ(outcome.status, 0);
    std::set<std::string> listed;
    std::istringstream lines(outcome.output);
    for (std::string line; std::getline(lines, line);) listed.insert(line.substr(0, line.find(' ')));
    EXPECT_EQ(listed, (std::set<std::string>{"fib",    "tree_sum",   "nqueens",     "uts",         "skynet",
                                             "matmul", "loop_small", "loop_large",  "loop_skewed", "sort",
                                             "spawn",  "flood",      "submit_wait", "then",        "channel",
                                             "wake",   "lanes",      "idle",        "tick",        "burst60"}));
}

TEST(BenchJobs, ReportHasTheAgreedShape) {
    const Outcome outcome =
        run_program({"bench", "jobs", "--quick", "--runs", "2", "--workers", "2", "--filter", "fib", "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const Json report = Json::parse(outcome.output);
    EXPECT_EQ(report.at("schema"), 1);
    EXPECT_EQ(report.at("program"), "quarry bench jobs");
    EXPECT_TRUE(report.at("machine").at("cpu").is_string());
    EXPECT_GE(report.at("machine").at("cores").get<int>(), 1);
    EXPECT_TRUE(report.at("machine").at("simd").is_string());
    EXPECT_EQ(report.at("options").at("workers"), Json::array({2}));
    std::set<std::string> engines;
    for (const Json& result : report.at("results")) {
        EXPECT_EQ(result.size(), 8u);
        EXPECT_TRUE(result.at("name") == "fib" || result.at("name") == "fib_pool" || result.at("name") == "fib_memory");
        EXPECT_EQ(result.at("workers"), 2);
        EXPECT_GT(result.at("value").get<double>(), 0);
        EXPECT_EQ(result.at("unit"), result.at("name") == "fib_memory" ? "MiB" : "ns");
        EXPECT_EQ(result.at("better"), "lower");
        EXPECT_EQ(result.at("runs"), 2);
        EXPECT_GE(result.at("spread").get<double>(), 0);
        engines.insert(result.at("engine").get<std::string>());
    }
    EXPECT_EQ(engines, (std::set<std::string>{"bare", "quarry"}));
    EXPECT_NE(outcome.errors.find("2 workers"), std::string::npos) << "the table goes to the other stream";
}

TEST(BenchJobs, ReportFileIsWrittenWithNothingBesideIt) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "quarry_bench_jobs_report";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    const std::filesystem::path file = folder / "report.json";
    const Outcome outcome = run_program(
        {"bench", "jobs", "--quick", "--runs", "1", "--workers", "1", "--filter", "spawn", "--json", file.string()});
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("spawn"), std::string::npos);
    std::ifstream stream(file);
    EXPECT_FALSE(Json::parse(stream).at("results").empty());
    const std::filesystem::directory_iterator entries(folder);
    EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
    std::filesystem::remove_all(folder);
}

// R28
TEST(BenchJobs, TraceOfQuarryIsWrittenAndItsCostMeasured) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "quarry_bench_jobs_trace";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    const std::filesystem::path file = folder / "of the engine.json";
    const Outcome outcome = run_program({"bench", "jobs", "--quick", "--runs", "1", "--workers", "2", "--filter",
                                         "spawn", "--json", "-", "--trace", file.string()});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    std::set<std::string> engines;
    const Json report = Json::parse(outcome.output);
    for (const Json& result : report.at("results")) engines.insert(result.at("engine"));
    EXPECT_EQ(engines, (std::set<std::string>{"bare", "quarry", "traced"}));
    std::ifstream stream(file);
    const Json trace = Json::parse(stream);
    std::set<std::string> threads;
    std::size_t jobs = 0;
    for (const Json& event : trace.at("traceEvents")) {
        if (event.at("name") == "thread_name") threads.insert(event.at("args").at("name"));
        if (event.at("name") == "scope job") ++jobs;
    }
    EXPECT_TRUE(threads.contains("quarry-0"));
    EXPECT_TRUE(threads.contains("quarry-1"));
    EXPECT_GT(jobs, 100u);
    const std::filesystem::directory_iterator entries(folder);
    EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
    std::filesystem::remove_all(folder);
}

TEST(BenchJobs, RunWithPeersSaysSoAndGoesOnWithoutCargo) {
    const Outcome outcome = run_program_without_cargo(
        {"bench", "jobs", "--quick", "--runs", "1", "--workers", "1", "--filter", "fib", "--peers", "--json", "-"});
    expect_note_of_missing_cargo(outcome);
    const Json report = Json::parse(outcome.output);
    EXPECT_EQ(report.at("options").at("peers"), true);
    std::set<std::string> engines;
    for (const Json& result : report.at("results")) engines.insert(result.at("engine"));
    EXPECT_TRUE(engines.contains("quarry"));
    EXPECT_TRUE(engines.contains("bare"));
}

TEST(BenchJobs, FilterTakesAllRowsWhoseNameHoldsIt) {
    const Outcome outcome =
        run_program({"bench", "jobs", "--quick", "--runs", "1", "--workers", "1", "--filter", "loop", "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const Json report = Json::parse(outcome.output);
    std::set<std::string> names;
    for (const Json& result : report.at("results")) names.insert(result.at("name"));
    for (const char* name : {"loop_small_hot", "loop_small_parked", "loop_large", "loop_skewed"}) {
        EXPECT_TRUE(names.contains(name)) << name;
    }
}

}  // namespace
}  // namespace quarry::tests
