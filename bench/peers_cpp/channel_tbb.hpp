#pragma once

#include <cstddef>
#include <cstdint>

#include <oneapi/tbb/concurrent_queue.h>

namespace quarry::bench {

class TbbChannel {
  public:
    explicit TbbChannel(std::size_t capacity) { queue_.set_capacity(static_cast<std::ptrdiff_t>(capacity)); }
    void send(std::uint64_t value) { queue_.push(value); }
    std::uint64_t receive() {
        std::uint64_t value = 0;
        queue_.pop(value);
        return value;
    }

  private:
    tbb::concurrent_bounded_queue<std::uint64_t> queue_;
};

}  // namespace quarry::bench
