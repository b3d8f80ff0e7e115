#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

namespace quarry::impl {

// The gates at which jobs of one pool may wait. Gate: has retain(1), release() and protocol.look_who_must_go().
template <class Gate>
class GateList {
  public:
    // Throws std::bad_alloc.
    void add(Gate& gate) {
        const std::lock_guard lock(mutex_);
        gates_.push_back(&gate);
    }
    void remove(Gate& gate) noexcept {
        const std::lock_guard lock(mutex_);
        gates_.erase(std::remove(gates_.begin(), gates_.end(), &gate), gates_.end());
    }
    // The pool is being destroyed: the thread that would open a gate may be the one that does it. Backwards, so that a
    // gate which goes meanwhile lets none be passed over; one that comes finds the pool stopping.
    void give_up_jobs() noexcept {
        for (std::size_t left = static_cast<std::size_t>(-1);;) {
            Gate* gate = nullptr;
            {
                const std::lock_guard lock(mutex_);
                left = std::min(left, gates_.size());
                if (left == 0) return;
                gate = gates_[--left];
                gate->retain(1);
            }
            gate->protocol.look_who_must_go();
            gate->release();
        }
    }

  private:
    std::mutex mutex_;
    std::vector<Gate*> gates_;
};

}  // namespace quarry::impl
