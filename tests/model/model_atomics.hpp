#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "engine.hpp"
#include "quarry/jobs/impl/mutation.hpp"

namespace model {

template <class T>
inline constexpr std::size_t kSizeOf = sizeof(T);  // NOLINT(bugprone-sizeof-expression): T may be a pointer

template <class T>
std::uint64_t to_bits(T value) {
    static_assert(std::is_trivially_copyable_v<T> && kSizeOf<T> <= sizeof(std::uint64_t));
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, kSizeOf<T>);
    return bits;
}

template <class T>
T from_bits(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, kSizeOf<T>);
    return value;
}

template <class T>
class ModelAtomic {
  public:
    ModelAtomic() : ModelAtomic(T{}) {}
    ModelAtomic(T value) : location_(Engine::active().create(to_bits(value))) {}  // NOLINT: as std::atomic
    ~ModelAtomic() { Engine::active().destroy(location_); }
    ModelAtomic(const ModelAtomic&) = delete;
    ModelAtomic& operator=(const ModelAtomic&) = delete;

    T load(std::memory_order order) const { return from_bits<T>(Engine::active().load(location_, order)); }
    void store(T value, std::memory_order order) { Engine::active().store(location_, to_bits(value), order); }
    T exchange(T value, std::memory_order order) {
        return modify("exchange", order, [&](T) { return value; });
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order order, std::memory_order failure_order) {
        const std::uint64_t wanted = to_bits(expected);
        const std::uint64_t replacement = to_bits(desired);
        const std::uint64_t found = Engine::active().modify(
            "compare-exchange", location_, order, failure_order,
            [&](std::uint64_t now) { return now == wanted ? std::optional(replacement) : std::nullopt; });
        if (found == wanted) return true;
        expected = from_bits<T>(found);
        return false;
    }
    // Never fails without reason here: callers loop, and a loop that comes round once more finds what it
    // found.
    bool compare_exchange_weak(T& expected, T desired, std::memory_order order, std::memory_order failure_order) {
        return compare_exchange_strong(expected, desired, order, failure_order);
    }
    T fetch_add(T value, std::memory_order order) {
        return modify("fetch_add", order, [&](T now) { return static_cast<T>(now + value); });
    }
    T fetch_sub(T value, std::memory_order order) {
        return modify("fetch_sub", order, [&](T now) { return static_cast<T>(now - value); });
    }
    T fetch_or(T value, std::memory_order order) {
        return modify("fetch_or", order, [&](T now) { return static_cast<T>(now | value); });
    }
    T fetch_and(T value, std::memory_order order) {
        return modify("fetch_and", order, [&](T now) { return static_cast<T>(now & value); });
    }

    std::size_t location() const { return location_; }

  private:
    template <class Next>
    T modify(const char* operation, std::memory_order order, Next next) {
        return from_bits<T>(Engine::active().modify(
            operation, location_, order, std::memory_order_relaxed,
            [&](std::uint64_t now) { return std::optional(to_bits<T>(next(from_bits<T>(now)))); }));
    }

    std::size_t location_;
};

template <class T>
class ModelPlain {
  public:
    ModelPlain() : ModelPlain(T{}) {}
    explicit ModelPlain(T value) : value_(std::move(value)), field_(Engine::active().create_plain()) {}
    ~ModelPlain() { Engine::active().write_plain(field_, true); }
    ModelPlain(const ModelPlain&) = delete;
    ModelPlain& operator=(const ModelPlain&) = delete;

    T get() const {
        Engine::active().read_plain(field_);
        return value_;
    }
    void set(T value) {
        Engine::active().write_plain(field_, false);
        value_ = std::move(value);
    }
    std::size_t field() const { return field_; }

  private:
    T value_;
    std::size_t field_;
};

// A word whose read-modify-writes are broken, if a mutation says so.
template <class T>
class BrokenWord {
  public:
    enum class How { not_at_all, torn, lost, lost_if_same };

    BrokenWord(ModelAtomic<T>& word, How how) : word_(word), how_(how) {}

    T exchange(T value, std::memory_order order) {
        if (how_ != How::torn) return word_.exchange(value, order);
        return torn(order, [&](T) { return value; });
    }
    T fetch_add(T value, std::memory_order order) {
        if (how_ != How::torn) return word_.fetch_add(value, order);
        return torn(order, [&](T now) { return static_cast<T>(now + value); });
    }
    T fetch_or(T value, std::memory_order order) {
        if (how_ != How::torn) return word_.fetch_or(value, order);
        return torn(order, [&](T now) { return static_cast<T>(now | value); });
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order order, std::memory_order failure_order) {
        if (how_ == How::lost) return true;
        if (how_ == How::lost_if_same && to_bits(expected) == to_bits(desired)) return true;
        if (how_ != How::torn) return word_.compare_exchange_strong(expected, desired, order, failure_order);
        const T found = word_.load(loading(order));
        if (to_bits(found) != to_bits(expected)) {
            expected = found;
            return false;
        }
        word_.store(desired, storing(order));
        return true;
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order order, std::memory_order failure_order) {
        return compare_exchange_strong(expected, desired, order, failure_order);
    }

  private:
    static std::memory_order loading(std::memory_order order) {
        if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
        return order == std::memory_order_release ? std::memory_order_relaxed : order;
    }
    static std::memory_order storing(std::memory_order order) {
        if (order == std::memory_order_acq_rel) return std::memory_order_release;
        return order == std::memory_order_acquire ? std::memory_order_relaxed : order;
    }
    template <class Next>
    T torn(std::memory_order order, Next next) {
        const T old = word_.load(loading(order));
        word_.store(next(old), storing(order));
        return old;
    }

    ModelAtomic<T>& word_;
    How how_;
};

// The atomics policy (quarry/jobs/impl/atomics.hpp) under which a protocol is model checked.
struct ModelAtomics {
    using Site = quarry::impl::Mutation;
    template <class T>
    using Atomic = ModelAtomic<T>;
    template <class T>
    using Plain = ModelPlain<T>;
    // Two values in the same storage are two fields for the checker, so the storage has one of its own.
    class StorageGuard {
      public:
        void write() { field_.set(0); }

      private:
        Plain<int> field_;
    };
    class Mutex {
      public:
        bool try_lock() {
            std::uint32_t free = 0;
            return locked_.compare_exchange_strong(free, 1, std::memory_order_acquire, std::memory_order_relaxed);
        }
        void lock() {
            while (!try_lock()) futex_wait(locked_, 1);
        }
        void unlock() {
            locked_.store(0, std::memory_order_release);
            futex_wake_one(locked_);
        }

      private:
        Atomic<std::uint32_t> locked_{0};
    };

    static void fence(std::memory_order order) { Engine::active().fence(order); }
    static void fence(Site site, std::memory_order order) {
        if (!mutated(site)) fence(order);
    }

    // The steps of quarry::impl::SoundSteps, and what breaks them.

    // One step weaker, so that a mutation shows that this very order is needed and not only a part of it.
    static std::memory_order order(Site site, std::memory_order wanted) {
        if (!mutated(site)) return wanted;
        return wanted == std::memory_order_seq_cst ? std::memory_order_acq_rel : std::memory_order_relaxed;
    }
    static std::memory_order acq_rel(Site acquires, Site releases) {
        if (mutated(acquires)) return std::memory_order_release;
        return mutated(releases) ? std::memory_order_acquire : std::memory_order_acq_rel;
    }
    template <class Step>
    static void step(Site site, Step&& step) {
        if (!mutated(site)) step();
    }
    template <class First, class Second>
    static void in_order(Site site, First&& first, Second&& second) {
        if (mutated(site)) {
            second();
            first();
        } else {
            first();
            second();
        }
    }
    static bool check(Site site, bool found) { return !mutated(site) && found; }
    template <std::invocable Question>
    static bool check(Site site, Question&& question) {
        return !mutated(site) && question();
    }
    template <class T>
    static BrokenWord<T> at_once(Site site, ModelAtomic<T>& word) {
        return {word, mutated(site) ? BrokenWord<T>::How::torn : BrokenWord<T>::How::not_at_all};
    }
    template <class T>
    static BrokenWord<T> written(Site site, ModelAtomic<T>& word) {
        return {word, mutated(site) ? BrokenWord<T>::How::lost : BrokenWord<T>::How::not_at_all};
    }
    template <class T>
    static BrokenWord<T> written_again(Site site, ModelAtomic<T>& word) {
        return {word, mutated(site) ? BrokenWord<T>::How::lost_if_same : BrokenWord<T>::How::not_at_all};
    }

    // Whether a model breaks that site; for what models write themselves.
    static bool mutated(Site site) { return site != Site::none && Engine::active().mutation() == site; }

    static void futex_wait(ModelAtomic<std::uint32_t>& word, std::uint32_t expected) {
        Engine::active().futex_wait(word.location(), expected);
    }
    // Time passes as fast as it can.
    static bool futex_wait_until(ModelAtomic<std::uint32_t>&, std::uint32_t, std::int64_t) { return false; }
    static void futex_wake_one(ModelAtomic<std::uint32_t>& word) { Engine::active().futex_wake_one(word.location()); }
    static void futex_wake_all(ModelAtomic<std::uint32_t>& word) {
        constexpr int kMostOthers = 3;
        for (int i = 0; i < kMostOthers; ++i) futex_wake_one(word);
    }
    static void cpu_relax() { Engine::active().pause(); }
};

// Names for the trace of a failing execution.
template <class T>
void name(const ModelAtomic<T>& atomic, const char* called) {
    Engine::active().set_name(atomic.location(), called);
}
template <class T>
void name(const ModelPlain<T>& plain, const char* called) {
    Engine::active().set_plain_name(plain.field(), called);
}

}  // namespace model
