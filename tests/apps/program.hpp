#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace quarry::tests {

struct Outcome {
    int status;
    std::string output;
    std::string errors;
};

// How a run differs from an ordinary one.
struct Circumstances {
    std::int64_t most_file_bytes = -1;  // the system refuses larger files; -1: as usual
    std::vector<int> signals{};         // sent to the program once `ready` says so
    std::function<bool(pid_t)> ready{};
    std::string output{};    // where its standard output goes; empty: it is kept
    bool as_nobody = false;  // as a user who owns nothing; only root can ask for that
};

// For signals that come so long after the start.
std::function<bool(pid_t)> after(std::chrono::milliseconds delay);

// The path of the program quarry.
const char* program_path() noexcept;

// Runs the program quarry with these arguments to its end.
Outcome run_program(const std::vector<std::string>& arguments, const Circumstances& circumstances = {});

// The program did not run: status 2, one line that mentions this, and nothing else.
void expect_refused(const Outcome& outcome, const std::string& mentioned);

// The same as run_program where no program is found by its name, so not cargo either.
Outcome run_program_without_cargo(const std::vector<std::string>& arguments);
// It went on and said that the Rust peers are missing, or are those of an earlier build.
void expect_note_of_missing_cargo(const Outcome& outcome);

}  // namespace quarry::tests
