#include <cstdio>
#include <mutex>
#include <utility>

#include "jobs/os/process_wide.hpp"
#include "jobs/task/task_header.hpp"

namespace quarry::impl {
namespace {

struct FreeHomes {
    std::mutex mutex;
    TaskHome* first = nullptr;
    std::uint32_t last_serial = 0;
};

FreeHomes& free_homes() {
    return os::process_wide<FreeHomes>();
}

}  // namespace

TaskHome& TaskHome::open(PoolCore& core, std::function<void(std::exception_ptr)> on_error) {
    FreeHomes& homes = free_homes();
    const std::lock_guard lock(homes.mutex);
    TaskHome* home = homes.first;
    if (home == nullptr) {
        home = new TaskHome;
    } else {
        homes.first = home->next_free_;
    }
    home->core_ = &core;
    home->on_error_ = std::move(on_error);
    home->error_logged_.store(false, std::memory_order_relaxed);
    home->references_.store(1, std::memory_order_relaxed);
    home->visitors_.open(++homes.last_serial);
    return *home;
}

void TaskHome::close() noexcept {
    visitors_.close();
    release();
}

void TaskHome::release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    on_error_ = nullptr;
    FreeHomes& homes = free_homes();
    const std::lock_guard lock(homes.mutex);
    next_free_ = homes.first;
    homes.first = this;
}

void TaskHome::report(std::exception_ptr error) noexcept {
    if (on_error_) {
        on_error_(std::move(error));
        return;
    }
    if (error_logged_.exchange(true, std::memory_order_relaxed)) return;
    try {
        std::rethrow_exception(std::move(error));
    } catch (const std::exception& thrown) {
        std::fprintf(stderr, "quarry: a detached task failed: %s (further ones are only counted)\n", thrown.what());
    } catch (...) {
        std::fputs("quarry: a detached task failed (further ones are only counted)\n", stderr);
    }
}

}  // namespace quarry::impl
