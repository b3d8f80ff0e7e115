#pragma once

#include <atomic>
#include <cstdint>

#include "jobs/os/os.hpp"
#include "quarry/jobs/impl/mutation.hpp"
#include "quarry/jobs/impl/sound_steps.hpp"

// Every lock-free protocol of the jobs layer is a template over an atomics policy, so that the code that ships is
// the code that is model checked. A policy provides:
//
//   Atomic<T>            like std::atomic<T>: load, store, exchange, compare_exchange_strong/weak, fetch_add/sub/or/and
//   Plain<T>             an ordinary field, reached by get() and set(): the model checker reports races on it
//   fence(order)         std::atomic_thread_fence
//   fence(site, order)   the same, where the model checker may leave it out
//   order, step, check.. see SoundSteps: steps that the model checker may break, one at a time. A protocol is written
//   as
//                        it ships, and says with a site of mutation.hpp what can be broken; how, the checker knows
//   futex_wait/futex_wake_one, cpu_relax
//   hint(atomic)         the std::atomic inside, for code that needs no order (not in the model checker)
namespace quarry::impl {

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

struct PlainAtomics : SoundSteps {
    template <class T>
    using Atomic = std::atomic<T>;
    template <class T>
    using Plain = PlainField<T>;

    static void fence(std::memory_order order) { std::atomic_thread_fence(order); }
    static void fence(Mutation, std::memory_order order) { std::atomic_thread_fence(order); }

    // Returns when woken, when the word differs from `expected`, or spuriously.
    static void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) { os::futex_wait(word, expected); }
    static void futex_wake_one(std::atomic<std::uint32_t>& word) { os::futex_wake_one(word); }
    static void cpu_relax() { os::cpu_relax(); }
    template <class T>
    static const std::atomic<T>& hint(const std::atomic<T>& word) {
        return word;
    }
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

struct TsanAtomics : SoundSteps {
    template <class T>
    using Atomic = SeqCstAtomic<T>;
    template <class T>
    using Plain = PlainField<T>;

    static void fence(std::memory_order) {}
    static void fence(Mutation, std::memory_order) {}

    static void futex_wait(SeqCstAtomic<std::uint32_t>& word, std::uint32_t expected) {
        os::futex_wait(word.underlying(), expected);
    }
    static void futex_wake_one(SeqCstAtomic<std::uint32_t>& word) { os::futex_wake_one(word.underlying()); }
    static void cpu_relax() { os::cpu_relax(); }
    template <class T>
    static const std::atomic<T>& hint(const SeqCstAtomic<T>& word) {
        return word.underlying();
    }
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
