#pragma once

#include <cstddef>
#include <cstdint>

#include <concurrentqueue/blockingconcurrentqueue.h>
#include <concurrentqueue/lightweightsemaphore.h>

namespace quarry::bench {

// moodycamel's blocking queue blocks only when it is empty. It is bounded here by its own means: the semaphore that it
// counts its values with counts the free places too. Values of different senders come in any order.
class MoodycamelChannel {
  public:
    explicit MoodycamelChannel(std::size_t capacity)
        : queue_(capacity), room_(static_cast<moodycamel::LightweightSemaphore::ssize_t>(capacity)) {}
    void send(std::uint64_t value) {
        while (!room_.wait()) {
        }
        queue_.enqueue(value);
    }
    std::uint64_t receive() {
        std::uint64_t value = 0;
        queue_.wait_dequeue(value);
        room_.signal();
        return value;
    }

  private:
    moodycamel::BlockingConcurrentQueue<std::uint64_t> queue_;
    moodycamel::LightweightSemaphore room_;
};

}  // namespace quarry::bench
