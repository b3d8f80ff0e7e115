#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "jobs/parking/parker.hpp"
#include "jobs/task/node.hpp"
#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::impl {

class PoolCore;
class Worker;

// A task that a thread waits for, or runs because it waits for it; on that thread's stack, the innermost first.
class TaskWait {
  public:
    TaskWait(Worker& worker, Node& awaited) noexcept;
    TaskWait(const TaskWait&) = delete;
    TaskWait& operator=(const TaskWait&) = delete;
    ~TaskWait();

    Node* task;
    Node* const by;  // the job that waits; null: a thread from outside does
    TaskWait* const outer;
    // In a search, under its lock.
    std::uint64_t searched = 0;
    TaskWait* next_to_search = nullptr;

  private:
    Worker& worker_;
};

// What threads that sleep in a wait need of the host's thread. A host that waits runs those jobs of its own lane
// without which its wait cannot end, and no others: a job waits for one that is part of what the host waits for, or one
// that such a job waits for, and so on.
class HostNeeds {
  public:
    explicit HostNeeds(PoolCore& core) noexcept : core_(core) {}

    // Any other thread, before it sleeps in a wait and after: meanwhile its stack stays as it is, and may be looked at.
    void falls_asleep(Worker& worker) noexcept;
    void is_awake(Worker& worker) noexcept;

    // The host's thread. A job that must run before `awaited` can end, claimed, with a reference; or null.
    Node* take_for(const Node& awaited) noexcept;
    // Before it sleeps. True: there is such a job; else the parker is notified when there may be one, until the host is
    // awake.
    bool look_or_listen(const Node& awaited, Parker<DefaultAtomics>& parker) noexcept;
    void host_is_awake(const Parker<DefaultAtomics>& parker) noexcept;

  private:
    Node* find_for(const Node& awaited) noexcept;
    bool is_needed_for(const Node& awaited, TaskWait& wait) noexcept;
    template <class Visit>
    void for_each_sleeper(Visit visit) noexcept;

    PoolCore& core_;
    std::mutex mutex_;
    std::atomic<int> wanted_{0};                     // sleepers that wait for a job of the host's lane
    Parker<DefaultAtomics>* host_parker_ = nullptr;  // while the host sleeps in a wait
    std::uint64_t searches_ = 0;
};

}  // namespace quarry::impl
