#include "jobs/worker/host_needs.hpp"

#include "jobs/pool/pool_core.hpp"
#include "jobs/task/task_header.hpp"
#include "jobs/worker/worker.hpp"

namespace quarry::impl {
namespace {

bool is_part_of(const Node& job, const Node& whole) noexcept {
    const Node* node = &job;
    while (node != nullptr && node != &whole) node = node->parent.load(std::memory_order_relaxed);
    return node != nullptr;
}

bool waits_for_host(const Worker& sleeper) noexcept {
    return sleeper.task_wait != nullptr && task_front(*sleeper.task_wait->task).lane == Lane::host;
}

}  // namespace

TaskWait::TaskWait(Worker& worker, Node& awaited) noexcept
    : task(&awaited), by(worker.lineage), outer(worker.task_wait), worker_(worker) {
    worker.task_wait = this;
}

TaskWait::~TaskWait() {
    worker_.task_wait = outer;
}

// Whoever falls asleep may be the last link between the host and a job that waits for it.
void HostNeeds::falls_asleep(Worker& worker) noexcept {
    if (worker.task_wait == nullptr) return;
    const std::lock_guard lock(mutex_);
    worker.shows_task_waits = true;
    if (waits_for_host(worker)) wanted_.fetch_add(1, std::memory_order_relaxed);
    if (host_parker_ != nullptr && wanted_.load(std::memory_order_relaxed) != 0) host_parker_->notify();
}

void HostNeeds::is_awake(Worker& worker) noexcept {
    if (worker.task_wait == nullptr) return;
    const std::lock_guard lock(mutex_);
    worker.shows_task_waits = false;
    if (waits_for_host(worker)) wanted_.fetch_sub(1, std::memory_order_relaxed);
}

Node* HostNeeds::take_for(const Node& awaited) noexcept {
    if (wanted_.load(std::memory_order_relaxed) == 0 || !core_.host.is_this_thread()) return nullptr;
    const std::lock_guard lock(mutex_);
    Node* const needed = find_for(awaited);
    if (needed == nullptr) return nullptr;
    needed->claim.retain();
    if (needed->claim.try_claim()) return needed;
    release(needed);
    return nullptr;
}

bool HostNeeds::look_or_listen(const Node& awaited, Parker<DefaultAtomics>& parker) noexcept {
    const std::lock_guard lock(mutex_);
    if (find_for(awaited) != nullptr) return true;
    host_parker_ = &parker;
    return false;
}

// Another thread may have become the host meanwhile, and sleep.
void HostNeeds::host_is_awake(const Parker<DefaultAtomics>& parker) noexcept {
    const std::lock_guard lock(mutex_);
    if (host_parker_ == &parker) host_parker_ = nullptr;
}

template <class Visit>
void HostNeeds::for_each_sleeper(Visit visit) noexcept {
    core_.for_each_worker([&](Worker& worker) {
        if (worker.shows_task_waits) visit(worker);
    });
}

Node* HostNeeds::find_for(const Node& awaited) noexcept {
    if (wanted_.load(std::memory_order_relaxed) == 0) return nullptr;
    Node* found = nullptr;
    for_each_sleeper([&](Worker& sleeper) {
        if (found != nullptr || !waits_for_host(sleeper)) return;
        Node& job = *sleeper.task_wait->task;
        if (job.claim.is_armed() && !job.claim.is_claimed() && is_needed_for(awaited, *sleeper.task_wait)) found = &job;
    });
    return found;
}

// Goes from the job that waits to those that wait for what it is a part of. A program whose jobs wait for each other in
// a circle has no end of these, so each is looked at once.
bool HostNeeds::is_needed_for(const Node& awaited, TaskWait& wait) noexcept {
    ++searches_;
    wait.next_to_search = nullptr;
    for (TaskWait* next = &wait; next != nullptr;) {
        const Node* const job = next->by;
        next = next->next_to_search;
        if (job == nullptr) continue;
        if (is_part_of(*job, awaited)) return true;
        for_each_sleeper([&](Worker& sleeper) {
            for (TaskWait* each = sleeper.task_wait; each != nullptr; each = each->outer) {
                if (each->searched == searches_ || !is_part_of(*job, *each->task)) continue;
                each->searched = searches_;
                each->next_to_search = next;
                next = each;
            }
        });
    }
    return false;
}

}  // namespace quarry::impl
