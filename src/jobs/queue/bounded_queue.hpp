#pragma once
#include <deque>
#include <mutex>
#include "jobs/atomics/policy.hpp"
namespace quarry::impl {
template <class Policy, class T>
class BoundedQueue {
  public:
    explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}
    bool try_push(T v) { std::lock_guard l(m_); if (q_.size() >= capacity_) return false; q_.push_back(v); return true; }
    T try_pop() { std::lock_guard l(m_); if (q_.empty()) return nullptr; T v = q_.front(); q_.pop_front(); return v; }
    bool looks_empty() const { std::lock_guard l(m_); return q_.empty(); }
  private:
    std::size_t capacity_; mutable std::mutex m_; std::deque<T> q_;
};
}
