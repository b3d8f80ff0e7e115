#pragma once

#include <string>
#include <vector>

#include "jobs/rows/list.hpp"

namespace quarry::bench {

struct EngineCommand {
    std::string name;
    std::vector<std::string> command;
    std::string trace_path;  // where the engine writes its trace at the end; empty: nowhere
};

struct RunOptions {
    std::vector<RowInfo> rows;
    std::vector<int> workers;  // ascending
    std::vector<EngineCommand> engines;
    bool quick = false;
    int runs = 7;
};

// The median of `runs` measurements; spread is (75th - 25th percentile) / median. Percentiles of samples are taken
// over the samples of all runs, their spread over the runs.
struct Result {
    std::string row;
    std::string name;
    std::string engine;
    int workers;
    double value;
    std::string unit;
    int runs;
    double spread;
};

// An engine that gave no figure for a row.
struct Gap {
    std::string row;
    std::string engine;
    int workers;
    std::string mark;  // for the table: "-", "died", "hung", "error"
    std::string reason;
};

struct RunReport {
    std::vector<Result> results;
    std::vector<Gap> gaps;
    std::vector<std::string> trace_failures;  // one line each
};

// Measures row by row; within a row the engines take turns, one measurement each, in an order that moves on with each
// repetition, so that noise hits all alike. Progress goes to standard error.
RunReport run(const RunOptions& options);

}  // namespace quarry::bench
