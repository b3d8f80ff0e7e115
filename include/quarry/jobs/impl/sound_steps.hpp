#pragma once

#include <atomic>
#include <concepts>

#include "quarry/jobs/impl/mutation.hpp"

namespace quarry::impl {

// A part of every atomics policy (src/jobs/atomics/policy.hpp): what a protocol says where the model checker may break
// one of its steps, to show that the step is needed. Whatever ships takes all steps as they are written.
struct SoundSteps {
    // Broken: a weaker order; of the second one, the half that the site stands for is missing.
    static constexpr std::memory_order order(Mutation, std::memory_order wanted) { return wanted; }
    static constexpr std::memory_order acq_rel(Mutation, Mutation) { return std::memory_order_acq_rel; }

    // Broken: the step is left out.
    template <class Step>
    static constexpr void step(Mutation, Step&& step) {
        step();
    }
    // Broken: the second comes first.
    template <class First, class Second>
    static constexpr void in_order(Mutation, First&& first, Second&& second) {
        first();
        second();
    }
    // Broken: the answer is always no, and a question is not asked.
    static constexpr bool check(Mutation, bool found) { return found; }
    template <std::invocable Question>
    static constexpr bool check(Mutation, Question&& question) {
        return question();
    }
    // A read-modify-write of the word. Broken: it is a load and a store; nothing is written, whatever it says; nothing
    // is written if that would change nothing.
    template <class Word>
    static constexpr Word& at_once(Mutation, Word& word) {
        return word;
    }
    template <class Word>
    static constexpr Word& written(Mutation, Word& word) {
        return word;
    }
    template <class Word>
    static constexpr Word& written_again(Mutation, Word& word) {
        return word;
    }
};

}  // namespace quarry::impl
