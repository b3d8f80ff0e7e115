#pragma once

#include <string>
#include <vector>

namespace quarry::tests {

struct Outcome {
    int status;
    std::string output;
    std::string errors;
};

// Runs the program quarry with these arguments to its end.
Outcome run_program(const std::vector<std::string>& arguments);

// The program did not run: status 2, one line that mentions this, and nothing else.
void expect_refused(const Outcome& outcome, const std::string& mentioned);

}  // namespace quarry::tests
