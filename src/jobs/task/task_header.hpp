#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <stop_token>

#include "jobs/completion/antecedents.hpp"
#include "jobs/completion/visitors.hpp"
#include "jobs/task/node.hpp"
#include "quarry/jobs/impl/task_body.hpp"

namespace quarry::impl {

class PoolCore;

// What a task needs of its pool. Homes are never given back to the system, only used again for another pool: a Task may
// outlive its pool, and finds out by the serial number.
class TaskHome {
  public:
    static TaskHome& open(PoolCore& core, std::function<void(std::exception_ptr)> on_error);

    // Enters, if this is still the home of that pool and its end has not come: the pool then exists until leave(). All
    // tasks have ended before the pool's end comes, so a task that has not ended lets its visitors in.
    [[nodiscard]] bool try_enter(std::uint32_t serial) noexcept { return visitors_.try_enter(serial); }
    void leave() noexcept { visitors_.leave(); }
    // All tasks have ended: returns when nobody is inside. The pool gives up its reference.
    void close() noexcept;

    // The shared pool may be stopped at any time: threads that use it by a free function are inside for that time, and
    // stop_shared() waits for them before it destroys the pool.
    void open_uses() noexcept { uses_.open(serial()); }
    [[nodiscard]] bool try_enter_use(std::uint32_t serial) noexcept { return uses_.try_enter(serial); }
    void leave_use() noexcept { uses_.leave(); }
    void close_uses() noexcept { uses_.close(); }

    void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept;

    void report(std::exception_ptr error) noexcept;

    std::uint32_t serial() const noexcept { return visitors_.serial(); }
    PoolCore& core() const noexcept { return *core_; }  // between try_enter and leave

  private:
    PoolCore* core_ = nullptr;
    std::function<void(std::exception_ptr)> on_error_;
    std::atomic<bool> error_logged_{false};
    Visitors<DefaultAtomics> visitors_;
    Visitors<DefaultAtomics> uses_;
    // The pool, and every failed task whose error nobody has asked for yet.
    std::atomic<std::uint32_t> references_{0};
    TaskHome* next_free_ = nullptr;
};

// The library's part of a submitted job's node.
struct TaskHeader : TaskFront {
    bool in_overflow_list;  // under that list's lock
    std::uint32_t home_serial;
    TaskHome* home;
    const char* name;
    std::stop_token stop;  // until the job starts or is cancelled
    Antecedents<DefaultAtomics> antecedents;
};
static_assert(sizeof(TaskHeader) <= kTaskHeaderBytes);

inline TaskHeader& task_header(Node& node) noexcept {
    return *std::launder(reinterpret_cast<TaskHeader*>(node.closure));
}

// A visit to the pool of a task that may have ended meanwhile.
class TaskVisit {
  public:
    explicit TaskVisit(Node& node) noexcept
        : home_(*task_header(node).home), inside_(home_.try_enter(task_header(node).home_serial)) {}
    TaskVisit(const TaskVisit&) = delete;
    TaskVisit& operator=(const TaskVisit&) = delete;
    ~TaskVisit() {
        if (inside_) home_.leave();
    }
    explicit operator bool() const noexcept { return inside_; }
    PoolCore& core() const noexcept { return home_.core(); }

  private:
    TaskHome& home_;
    const bool inside_;
};

}  // namespace quarry::impl
