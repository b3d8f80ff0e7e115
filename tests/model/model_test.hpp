#pragma once

#include <functional>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"

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

inline std::ostream& operator<<(std::ostream& out, const Program& program) {
    return out << program.name;
}
inline std::ostream& operator<<(std::ostream& out, const Mutant& mutant) {
    return out << mutant.name << " in " << mutant.program.name;
}

// The sanitizers make the search ten times slower, and it is not what they look at.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr unsigned kFewerPreemptions = 1;
#elif defined(__has_feature)
inline constexpr unsigned kFewerPreemptions = __has_feature(address_sanitizer) ? 1 : 0;
#else
inline constexpr unsigned kFewerPreemptions = 0;
#endif

inline Result run(const Program& program, quarry::impl::Mutation mutation = quarry::impl::Mutation::none) {
    return check({.name = program.name, .preemptions = program.preemptions, .mutation = mutation}, program.set_up);
}

inline testing::AssertionResult holds(Program program) {
    program.preemptions -= kFewerPreemptions;
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
        return testing::AssertionFailure() << "another failure than \"" << mutant.failure << "\": " << result.failure;
    }
    return testing::AssertionSuccess();
}

}  // namespace model
