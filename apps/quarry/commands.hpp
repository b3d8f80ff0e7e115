#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace quarry::app {

constexpr int kFailed = 1;      // it ran and failed
constexpr int kWrongInput = 2;  // it did not run

// Wrong input: the message is one line that says what is wrong and what is allowed.
class WrongInput : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct BenchJobsArguments {
    std::string filter;
    std::string workers;  // as typed: empty, or a number to be checked
    std::string runs;
    std::string json;
    std::string trace;
    bool peers = false;
    bool quick = false;
    bool list = false;
};

int bench_jobs(const BenchJobsArguments& arguments);

}  // namespace quarry::app
