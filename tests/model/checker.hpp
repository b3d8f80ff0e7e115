#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>

#include "quarry/jobs/impl/mutation.hpp"

// A model checker for the lock-free protocols: runs a small program of two to four threads in every order of
// steps, with every value that C++ lets a load return. README.md says how to write a model and what the
// checker cannot see.
namespace model {

struct Options {
    std::string name;
    unsigned preemptions = 3;  // switches away from a thread that could go on; all other switches are free
    quarry::impl::Mutation mutation = quarry::impl::Mutation::none;
    std::uint64_t max_executions = 20'000'000;
    double max_seconds = 30;          // of the processor
    std::uint64_t max_steps = 2'000;  // of one execution: more is reported as a livelock
};

struct Result {
    bool ok = false;        // no execution failed
    bool complete = false;  // all were tried; false if max_executions or max_seconds ended the search
    std::uint64_t executions = 0;
    double seconds = 0;
    std::string failure;             // what went wrong, and the steps that led there
    std::set<std::string> outcomes;  // all that observe() was given
};

// Calls set_up for each execution. It builds the shared state, and names the threads and what to check after
// them.
Result check(const Options& options, const std::function<void()>& set_up);

// Only for set_up.
void thread(std::function<void()> body);
void after(std::function<void()> body);

// For set_up, threads and after. A requirement that is false ends the search.
void require(bool holds, const char* what);
void observe(const std::string& outcome);

// Names for the atomics that are made next, in that order: for those that a protocol keeps private.
void name_next(std::initializer_list<const char*> names);

}  // namespace model
