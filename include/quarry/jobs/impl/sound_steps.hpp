#pragma once

#include <atomic>
#include <concepts>

namespace quarry::impl {

// A part of every atomics policy (src/jobs/atomics/policy.hpp): what a protocol says where the model checker may break
// one of its steps, to show that the step is needed. Whatever ships takes all steps as they are written.
template <class Site>
struct SoundSteps {
    // Broken: a weaker order; of the second one, the half that the site stands for is missing.
    static constexpr std::memory_order order(Site, std::memory_order wanted) { return wanted; }
    static constexpr std::memory_order acq_rel(Site, Site) { return std::memory_order_acq_rel; }

    // Broken: the step is left out.
    template <class Step>
    static constexpr void step(Site, Step&& step) {
        step();
    }
    // Broken: the second comes first.
    template <class First, class Second>
    static constexpr void in_order(Site, First&& first, Second&& second) {
        first();
        second();
    }
    // Broken: the answer is always no, and a question is not asked.
    static constexpr bool check(Site, bool found) { return found; }
    template <std::invocable Question>
    static constexpr bool check(Site, Question&& question) {
        return question();
    }
    // A read-modify-write of the word. Broken: it is a load and a store; nothing is written, whatever it says; nothing
    // is written if that would change nothing.
    template <class Word>
    static constexpr Word& at_once(Site, Word& word) {
        return word;
    }
    template <class Word>
    static constexpr Word& written(Site, Word& word) {
        return word;
    }
    template <class Word>
    static constexpr Word& written_again(Site, Word& word) {
        return word;
    }
};

}  // namespace quarry::impl
