#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "quarry/jobs/error.hpp"

namespace quarry::impl {

// A pool's own threads.
class Threads {
  public:
    // For so many there is memory.
    void reserve(std::size_t count) { threads_.reserve(count); }
    // Starts run(i) for all i below `count` that do not run yet. Throws quarry::Error; the next call then goes on where
    // this one stopped.
    template <class Run>
    void start_up_to(std::size_t count, Run run) {
        const std::lock_guard lock(mutex_);
        while (threads_.size() < count) {
            const std::size_t i = threads_.size();
            try {
                threads_.emplace_back([run, i] { run(i); });
            } catch (const std::system_error& failure) {
                throw Error("cannot start worker thread " + std::to_string(i + 1) + " of " + std::to_string(count) +
                            ": " + failure.code().message());
            }
        }
    }
    bool contain_this_one() const {
        const std::lock_guard lock(mutex_);
        return std::any_of(threads_.begin(), threads_.end(),
                           [](const std::thread& one) { return one.get_id() == std::this_thread::get_id(); });
    }
    void join() {
        for (std::thread& thread : threads_) thread.join();
    }

  private:
    mutable std::mutex mutex_;
    std::vector<std::thread> threads_;
};

}  // namespace quarry::impl
