#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "engine.hpp"
#include "jobs/atomics/mutation.hpp"

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

// The atomics policy (src/jobs/atomics/policy.hpp) under which a protocol is model checked.
struct ModelAtomics {
    using Site = quarry::impl::Mutation;  // as policies of other layers call it
    template <class T>
    using Atomic = ModelAtomic<T>;
    template <class T>
    using Plain = ModelPlain<T>;

    static void fence(std::memory_order order) { Engine::active().fence(order); }

    // One step weaker, so that a mutation shows that this very order is needed and not only a part of it.
    static std::memory_order order(quarry::impl::Mutation site, std::memory_order normal) {
        if (!mutated(site)) return normal;
        return normal == std::memory_order_seq_cst ? std::memory_order_acq_rel : std::memory_order_relaxed;
    }
    static bool mutated(quarry::impl::Mutation site) {
        return site != quarry::impl::Mutation::none && Engine::active().mutation() == site;
    }

    static void futex_wait(ModelAtomic<std::uint32_t>& word, std::uint32_t expected) {
        Engine::active().futex_wait(word.location(), expected);
    }
    static void futex_wake_one(ModelAtomic<std::uint32_t>& word) { Engine::active().futex_wake_one(word.location()); }
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
