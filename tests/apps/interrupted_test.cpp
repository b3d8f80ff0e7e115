#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/apps/program.hpp"

// What long runs show while they run, and give when they are stopped.

namespace quarry::tests {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

Json report_of_interrupted(std::vector<std::string> words, int signal) {
    words.insert(words.end(), {"--json", "-"});
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = run_program(words, {.signals = {signal}, .ready = after(700ms)});
    EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
    EXPECT_EQ(outcome.status, 128 + signal) << outcome.errors;
    EXPECT_NE(outcome.errors.find("ut short"), std::string::npos) << outcome.errors;
    return Json::parse(outcome.output);
}

TEST(Interrupted, StressGivesWhatItHas) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        const Json report = report_of_interrupted({"stress", "--duration", "60"}, signal);
        EXPECT_EQ(report.at("cut_short"), true);
        EXPECT_GT(report.at("submitted"), 1000);
        EXPECT_EQ(report.at("success"), report.at("submitted"));
        EXPECT_LT(report.at("seconds"), 30);
    }
}

TEST(Interrupted, SyncGivesTheScenariosSoFar) {
    const Json report = report_of_interrupted({"sync", "--scenario", "HEAVY", "--scenario", "LIGHT"}, SIGINT);
    EXPECT_EQ(report.at("cut_short"), true);
    ASSERT_EQ(report.at("scenarios").size(), 1u);
    const Json& heavy = report.at("scenarios")[0];
    EXPECT_EQ(heavy.at("cut_short"), true);
    EXPECT_GT(heavy.at("submitted"), 0);
    EXPECT_LT(heavy.at("submitted"), 2700);
    EXPECT_EQ(heavy.at("returned"), heavy.at("submitted"));
}

TEST(Interrupted, SoakGivesWhatItHasAndNoVerdict) {
    const Json report = report_of_interrupted({"sync", "--soak", "60"}, SIGINT);
    EXPECT_EQ(report.at("cut_short"), true);
    EXPECT_EQ(report.at("verdict"), "not judged");
    EXPECT_EQ(report.at("lost"), 0);
}

TEST(Interrupted, UninterruptedRunsAreNotMarked) {
    const Outcome outcome = run_program({"stress", "--duration", "0.1", "--json", "-"});
    EXPECT_EQ(Json::parse(outcome.output).at("cut_short"), false);
    EXPECT_EQ(outcome.errors.find("ut short"), std::string::npos);
}

// All that the program prints on a terminal of that width.
std::string printed_on_terminal(const std::vector<std::string>& arguments, unsigned columns, const char* kind) {
    const winsize size{24, static_cast<unsigned short>(columns), 0, 0};
    int terminal = -1;
    const pid_t process = forkpty(&terminal, nullptr, nullptr, &size);
    if (process == 0) {
        setenv("TERM", kind, 1);  // NOLINT(concurrency-mt-unsafe): a process of one thread
        std::vector<std::string> words{program_path()};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> pointers;
        for (std::string& word : words) pointers.push_back(word.data());
        pointers.push_back(nullptr);
        execv(pointers[0], pointers.data());
        _exit(127);
    }
    std::string all;
    char buffer[4096];
    // A terminal that nobody writes to any more is an error, not an end.
    for (ssize_t count = 0; (count = read(terminal, buffer, sizeof buffer)) > 0;) {
        all.append(buffer, static_cast<std::size_t>(count));
    }
    close(terminal);
    waitpid(process, nullptr, 0);
    return all;
}

// Lengths, in characters, of what stands between two returns to the beginning of the line.
std::size_t longest_of_drawn(const std::string& printed, const std::string& name) {
    std::size_t longest = 0;
    for (std::size_t begin = 0; begin < printed.size();) {
        const std::size_t end = std::min(printed.find_first_of("\r\n", begin), printed.size());
        const std::string piece = printed.substr(begin, end - begin);
        if (piece.starts_with(name)) {
            std::size_t length = 0;
            for (const char byte : piece) length += (static_cast<unsigned char>(byte) & 0xc0) != 0x80 ? 1 : 0;
            longest = std::max(longest, length);
        }
        begin = end + 1;
    }
    return longest;
}

TEST(ProgressBar, FitsTheTerminal) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"stress", "--duration", "0.5"},
                                                  {"sync", "--scenario", "BASELINE", "--hertz", "60"}}) {
        for (const unsigned columns : {20u, 200u}) {
            const std::string printed = printed_on_terminal(words, columns, "xterm");
            const std::size_t longest = longest_of_drawn(printed, words[0] + "  ");
            EXPECT_GT(longest, 10u) << printed;
            EXPECT_LT(longest, columns) << printed;
        }
    }
}

TEST(ProgressBar, IsNotDrawnOnATerminalThatCanNot) {
    const std::string printed = printed_on_terminal({"stress", "--duration", "0.5"}, 80, "dumb");
    EXPECT_EQ(longest_of_drawn(printed, "stress  "), 0u) << printed;
    EXPECT_EQ(printed.find('\033'), std::string::npos) << printed;
    EXPECT_NE(printed.find("verdict"), std::string::npos) << printed;
}

}  // namespace
}  // namespace quarry::tests
