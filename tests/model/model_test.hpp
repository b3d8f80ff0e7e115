#pragma once

#include "checker.hpp"

#include <functional>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

// How the tests of the protocols state what they expect of a model.
namespace model {

struct Program {
    const char* name;
    std::function<void()> set_up;
    unsigned preemptions = 3;
};

// A mutation and the program that must fail under it.
struct Mutant {
    const char* name;
    quarry::impl::Mutation mutation;
    Program program;
    const char* failure;  // part of what must be reported
};

inline void PrintTo(const Program& program, std::ostream* out) {
    *out << program.name;
}
inline void PrintTo(const Mutant& mutant, std::ostream* out) {
    *out << mutant.name << " in " << mutant.program.name;
}

inline Result run(const Program& program, quarry::impl::Mutation mutation = quarry::impl::Mutation::none) {
    return check({.name = program.name, .preemptions = program.preemptions, .mutation = mutation},
                 program.set_up);
}

inline testing::AssertionResult holds(const Program& program) {
    const Result result = run(program);
    if (!result.ok) return testing::AssertionFailure() << result.failure;
    if (!result.complete) {
        return testing::AssertionFailure() << "stopped after " << result.executions << " executions";
    }
    testing::Test::RecordProperty("executions", std::to_string(result.executions));
    return testing::AssertionSuccess();
}

inline testing::AssertionResult is_caught(const Mutant& mutant) {
    const Result result = run(mutant.program, mutant.mutation);
    if (result.ok) {
        return testing::AssertionFailure() << "no failure in " << result.executions << " executions";
    }
    if (result.failure.find(mutant.failure) == std::string::npos) {
        return testing::AssertionFailure()
               << "another failure than \"" << mutant.failure << "\": " << result.failure;
    }
    return testing::AssertionSuccess();
}

}  // namespace model
