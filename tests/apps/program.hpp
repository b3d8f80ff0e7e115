#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

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
    std::function<bool()> ready{};
};

// Runs the program quarry with these arguments to its end.
Outcome run_program(const std::vector<std::string>& arguments, const Circumstances& circumstances = {});

// The program did not run: status 2, one line that mentions this, and nothing else.
void expect_refused(const Outcome& outcome, const std::string& mentioned);

}  // namespace quarry::tests
