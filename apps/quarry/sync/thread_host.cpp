#include "sync/thread_host.hpp"

#include <thread>

namespace quarry::app {

ThreadHost::ThreadHost(int workers, const CpuWork& work) : work_(work), pool_(workers) {}

void ThreadHost::wait_until(time_point moment) {
    std::this_thread::sleep_until(moment);
}

void ThreadHost::submit(std::chrono::nanoseconds length, std::uint64_t id) {
    inbox_.submit(pool_, [this, length, id] {
        work_.run(length);
        return id;
    });
}

void ThreadHost::deliver(std::chrono::nanoseconds budget, const std::function<void(std::uint64_t)>& apply) {
    inbox_.deliver(budget, apply);
}

}  // namespace quarry::app
