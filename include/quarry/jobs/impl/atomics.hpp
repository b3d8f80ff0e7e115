#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <mutex>

#include "quarry/jobs/ext/sleep.hpp"
#include "quarry/jobs/impl/mutation.hpp"
#include "quarry/jobs/impl/ticks.hpp"

// Every lock-free protocol is a template over an atomics policy, so that the code that ships is the code that is model
// checked. A policy provides:
//
//   Atomic<T>            like std::atomic<T>: load, store, exchange, compare_exchange_strong/weak, fetch_add/sub/or/and
//   Plain<T>             an ordinary field, reached by get() and set(): the model checker reports races on it
//   StorageGuard         beside raw storage, told of each new use by write(): the same for what is built there
//   Mutex                like std::mutex
//   fence(order)         std::atomic_thread_fence
//   fence(site, order)   the same, where the model checker may leave it out
//   order, step, check.. see SoundSteps: steps that the model checker may break, one at a time. A protocol is written
//                        as it ships, and says with a site of mutation.hpp what can be broken; how, the checker knows
//   futex_wait, futex_wait_until, futex_wake_one, futex_wake_all, cpu_relax
//   hint(atomic)         the std::atomic inside, for code that needs no order (not in the model checker)
//
// What ships is PlainAtomics, here at the end, and DefaultAtomics where a protocol has fences.
namespace quarry::impl {

// What a protocol says where the model checker may break one of its steps, to show that the step is needed. Whatever
// ships takes all steps as they are written.
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

template <class T>
class PlainField {
  public:
    constexpr PlainField() = default;
    constexpr explicit PlainField(T value) : value_(value) {}
    T get() const { return value_; }
    void set(T value) { value_ = value; }

  private:
    T value_{};
};

// The thread sanitizer does not understand fences, so every operation is sequentially consistent instead.
template <class T>
class SeqCstAtomic {
  public:
    constexpr SeqCstAtomic() = default;
    constexpr SeqCstAtomic(T value) : value_(value) {}  // NOLINT(google-explicit-constructor): as std::atomic
    SeqCstAtomic(const SeqCstAtomic&) = delete;
    SeqCstAtomic& operator=(const SeqCstAtomic&) = delete;

    T load(std::memory_order) const { return value_.load(); }
    void store(T value, std::memory_order) { value_.store(value); }
    T exchange(T value, std::memory_order) { return value_.exchange(value); }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order, std::memory_order) {
        return value_.compare_exchange_strong(expected, desired);
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order, std::memory_order) {
        return value_.compare_exchange_weak(expected, desired);
    }
    T fetch_add(T value, std::memory_order) { return value_.fetch_add(value); }
    T fetch_sub(T value, std::memory_order) { return value_.fetch_sub(value); }
    T fetch_or(T value, std::memory_order) { return value_.fetch_or(value); }
    T fetch_and(T value, std::memory_order) { return value_.fetch_and(value); }

    std::atomic<T>& underlying() { return value_; }
    const std::atomic<T>& underlying() const { return value_; }

  private:
    std::atomic<T> value_;
};

// What is the same in all that ships.
struct ShippedAtomics : SoundSteps {
    template <class T>
    using Plain = PlainField<T>;
    struct StorageGuard {
        void write() noexcept {}
    };
    using Mutex = std::mutex;

    template <class T>
    static const std::atomic<T>& hint(const std::atomic<T>& word) {
        return word;
    }
    template <class T>
    static const std::atomic<T>& hint(const SeqCstAtomic<T>& word) {
        return word.underlying();
    }

    template <class Word>
    static void futex_wait(Word& word, std::uint32_t expected) {
        ext::sleep(inside(word), expected);
    }
    template <class Word>
    static bool futex_wait_until(Word& word, std::uint32_t expected, std::int64_t deadline) {
        return ext::sleep_until(inside(word), expected, deadline);
    }
    template <class Word>
    static void futex_wake_one(Word& word) {
        ext::wake_one(inside(word));
    }
    template <class Word>
    static void futex_wake_all(Word& word) {
        ext::wake_all(inside(word));
    }
    static void cpu_relax() { ::quarry::impl::cpu_relax(); }

  private:
    static std::atomic<std::uint32_t>& inside(std::atomic<std::uint32_t>& word) { return word; }
    static std::atomic<std::uint32_t>& inside(SeqCstAtomic<std::uint32_t>& word) { return word.underlying(); }
};

struct PlainAtomics : ShippedAtomics {
    template <class T>
    using Atomic = std::atomic<T>;

    static void fence(std::memory_order order) { std::atomic_thread_fence(order); }
    static void fence(Mutation, std::memory_order order) { std::atomic_thread_fence(order); }
};

struct TsanAtomics : ShippedAtomics {
    template <class T>
    using Atomic = SeqCstAtomic<T>;

    static void fence(std::memory_order) {}
    static void fence(Mutation, std::memory_order) {}
};

#if defined(__SANITIZE_THREAD__)
#define QUARRY_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define QUARRY_THREAD_SANITIZER 1
#endif
#endif

#if defined(QUARRY_THREAD_SANITIZER)
using DefaultAtomics = TsanAtomics;
#else
using DefaultAtomics = PlainAtomics;
#endif

}  // namespace quarry::impl
