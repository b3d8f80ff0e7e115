#pragma once

#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

// The last-in slot of a worker: its newest submitted job, which thieves take only as a last resort. See README.md.
template <class Policy, class T>
class Slot {
  public:
    // Owner. Returns the job that was there before, which the owner must queue elsewhere.
    T put(T value) noexcept {
        return Policy::at_once(Mutation::slot_put_without_exchange, value_)
            .exchange(value, Policy::order(Mutation::slot_put, std::memory_order_release));
    }

    // Owner or thief: nullptr when there is nothing.
    T take() noexcept {
        if (value_.load(std::memory_order_relaxed) == nullptr) return nullptr;
        return value_.exchange(nullptr, Policy::order(Mutation::slot_take, std::memory_order_acquire));
    }

    // Owner: takes back a job that it has put here itself, if it is still there.
    bool take_if(T value) noexcept {
        if (value_.load(std::memory_order_relaxed) != value) return false;
        return value_.compare_exchange_strong(value, nullptr, std::memory_order_relaxed, std::memory_order_relaxed);
    }

    bool looks_empty() const noexcept {
        return value_.load(Policy::order(Mutation::slot_empty, std::memory_order_seq_cst)) == nullptr;
    }

  private:
    typename Policy::template Atomic<T> value_{nullptr};
};

}  // namespace quarry::impl
