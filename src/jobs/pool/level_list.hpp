#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "jobs/task/node.hpp"

namespace quarry::impl {

// Submitted jobs of one priority, first in, first out. Few jobs go this way, so a lock will do. A job may be in several
// lists at once, after it was raised, so entries are no links in the nodes.
class LevelList {
  public:
    static constexpr std::size_t kFirstCapacity = 16;

    // counted: whether the entry takes up room of the lane. Throws std::bad_alloc, and is then as it was.
    void push(Node& node, bool counted) {
        const std::lock_guard lock(mutex_);
        if (size_ + reserved_ == capacity_) grow();
        append(node, counted);
    }
    // For so many entries push_reserved() cannot fail. Throws std::bad_alloc, and is then as it was.
    void reserve(std::size_t entries) {
        const std::lock_guard lock(mutex_);
        while (capacity_ - size_ - reserved_ < entries) grow();
        reserved_ += entries;
    }
    void push_reserved(Node& node, bool counted) noexcept {
        const std::lock_guard lock(mutex_);
        --reserved_;
        append(node, counted);
    }
    void give_reserved_back(std::size_t entries) noexcept {
        const std::lock_guard lock(mutex_);
        reserved_ -= entries;
    }

    // The oldest job, or nullptr.
    Node* pop(bool& counted) noexcept {
        if (looks_empty()) return nullptr;
        const std::lock_guard lock(mutex_);
        if (size_ == 0) return nullptr;
        const Entry entry = entries_[first_];
        first_ = (first_ + 1) & (capacity_ - 1);
        --size_;
        count_.store(size_, std::memory_order_relaxed);
        counted = entry.counted;
        return entry.node;
    }

    // Takes out all entries for which ended(node) holds, and calls drop(node, counted) for each.
    template <class Ended, class Drop>
    void sweep(Ended ended, Drop drop) noexcept {
        if (looks_empty()) return;
        const std::lock_guard lock(mutex_);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            const Entry entry = entries_[(first_ + i) & (capacity_ - 1)];
            if (ended(*entry.node)) {
                drop(*entry.node, entry.counted);
            } else {
                entries_[(first_ + kept++) & (capacity_ - 1)] = entry;
            }
        }
        size_ = kept;
        count_.store(size_, std::memory_order_relaxed);
    }

    // As BoundedQueue::looks_empty: what was pushed before a seq_cst fence is seen after a later one.
    bool looks_empty() const noexcept { return count_.load(std::memory_order_seq_cst) == 0; }
    std::size_t size_hint() const noexcept { return count_.load(std::memory_order_relaxed); }

  private:
    struct Entry {
        Node* node;
        bool counted;
    };

    void append(Node& node, bool counted) noexcept {
        entries_[(first_ + size_) & (capacity_ - 1)] = {&node, counted};
        ++size_;
        count_.store(size_, std::memory_order_relaxed);
    }
    void grow() {
        const std::size_t larger = capacity_ == 0 ? kFirstCapacity : 2 * capacity_;
        auto entries = std::make_unique<Entry[]>(larger);
        for (std::size_t i = 0; i < size_; ++i) entries[i] = entries_[(first_ + i) & (capacity_ - 1)];
        entries_ = std::move(entries);
        capacity_ = larger;
        first_ = 0;
    }

    std::mutex mutex_;
    std::unique_ptr<Entry[]> entries_;
    std::size_t capacity_ = 0;  // a power of two, or 0
    std::size_t first_ = 0;
    std::size_t size_ = 0;
    std::size_t reserved_ = 0;
    std::atomic<std::size_t> count_{0};
};

}  // namespace quarry::impl
