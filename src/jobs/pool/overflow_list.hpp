#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

#include "jobs/task/task_header.hpp"

namespace quarry::impl {

// Submitted jobs that found the injection queue full, from threads that must not wait for room because they are inside
// a job: the workers that would make room may be waiting for that very job. First in, first out. It has no bound and
// never allocates: the nodes are the list, so none of them may be in another one (Node::next), or here twice.
class OverflowList {
  public:
    // False: it is here already, raised and queued once more. Whoever takes it out from here on finds it as it is now.
    [[nodiscard]] bool push(Node& node) noexcept {
        const std::lock_guard lock(mutex_);
        TaskHeader& header = task_header(node);
        if (header.in_overflow_list) return false;
        header.in_overflow_list = true;
        node.next.set(nullptr);
        if (newest_ == nullptr) {
            oldest_ = &node;
        } else {
            newest_->next.set(&node);
        }
        newest_ = &node;
        count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return true;
    }

    Node* pop() noexcept {
        if (looks_empty()) return nullptr;
        const std::lock_guard lock(mutex_);
        Node* const node = oldest_;
        if (node == nullptr) return nullptr;
        oldest_ = node->next.get();
        if (oldest_ == nullptr) newest_ = nullptr;
        task_header(*node).in_overflow_list = false;
        count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
        return node;
    }

    // As BoundedQueue::looks_empty: what was pushed before a seq_cst fence is seen after a later one.
    bool looks_empty() const noexcept { return count_.load(std::memory_order_seq_cst) == 0; }
    std::size_t size_hint() const noexcept { return count_.load(std::memory_order_relaxed); }

  private:
    std::mutex mutex_;
    Node* oldest_ = nullptr;
    Node* newest_ = nullptr;
    std::atomic<std::size_t> count_{0};
};

}  // namespace quarry::impl
