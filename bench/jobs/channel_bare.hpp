#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace quarry::bench {

// The baseline of the row `channel`: a ring under a mutex, with a condition variable for each side.
class BareChannel {
  public:
    explicit BareChannel(std::size_t capacity) : ring_(capacity) {}

    void send(std::uint64_t value) {
        {
            std::unique_lock lock(mutex_);
            room_.wait(lock, [&] { return size_ < ring_.size(); });
            ring_[(first_ + size_) % ring_.size()] = value;
            ++size_;
        }
        filled_.notify_one();
    }
    std::uint64_t receive() {
        std::uint64_t value = 0;
        {
            std::unique_lock lock(mutex_);
            filled_.wait(lock, [&] { return size_ > 0; });
            value = ring_[first_];
            first_ = (first_ + 1) % ring_.size();
            --size_;
        }
        room_.notify_one();
        return value;
    }

  private:
    std::mutex mutex_;
    std::condition_variable room_;
    std::condition_variable filled_;
    std::vector<std::uint64_t> ring_;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

}  // namespace quarry::bench
