#pragma once

#include "jobs/completion/completion.hpp"
#include "jobs/completion/latch.hpp"
#include "jobs/completion/task_end.hpp"
#include "jobs/parking/parker.hpp"

// How a thread waits for one event: it helps, or it sleeps. See README.md.
//
// An event has
//   is_over()
//   has_news()       something else that the waiter wants to look at before it sleeps
//   begin(parker)    from here on others notify the parker of the end and of news
//   end()            after the sleep
namespace quarry::impl {

// The end of a group's jobs, for its owner.
template <class Policy, class Node>
struct GroupEvent {
    Completion<Policy, Node>& completion;
    Node* const& listed;  // what was taken from the list and not looked at yet

    bool is_over() const noexcept { return completion.done(); }
    bool has_news() const noexcept { return listed != nullptr || completion.has_listed(); }
    void begin(Parker<Policy>&) const noexcept { completion.begin_wait(); }
    void end() const noexcept { completion.end_wait(); }
};

// A latch, for its one waiter.
template <class Policy>
struct LatchEvent {
    Latch<Policy>& latch;

    bool is_over() const noexcept { return latch.is_set(); }
    static bool has_news() noexcept { return false; }
    void begin(Parker<Policy>& parker) const noexcept { latch.announce(parker); }
    static void end() noexcept {}
};

// The end of a task. The thread listens from its first sleep on.
template <class Policy>
class TaskEvent {
  public:
    TaskEvent(const TaskEnd<Policy>& end, Parker<Policy>& parker) noexcept : end_(end), waiter_(parker) {}

    // Once it listens it must stay until it is told.
    bool is_over() const noexcept { return listening_ ? waiter_.was_told() : end_.is_set(); }
    static bool has_news() noexcept { return false; }
    // listen(): as TaskEnd::listen.
    template <class Listen>
    void begin(Listen listen) noexcept {
        if (!listening_) listening_ = listen();
    }
    void tell() noexcept { waiter_.tell(); }
    static void end() noexcept {}

  private:
    const TaskEnd<Policy>& end_;
    TaskWaiter<Policy> waiter_;
    bool listening_ = false;
};

// The caller has just seen that the event is not over. Returns when it is, or has news. help(): runs something that
// belongs to the event; false: there was nothing. rest(): looks around for a while, or sleeps.
template <class Event, class Help, class Rest>
void wait_for_event(const Event& event, Help help, Rest rest) noexcept {
    do {
        if (!help()) rest();
    } while (!event.is_over() && !event.has_news());
}

// Sleeps until the event is over or has news, or somebody notifies the waiter for another reason. could_help():
// whether the waiter sees a job that it could help with. park(): Parker::park for kWaiting.
template <class Policy, class Event, class CouldHelp, class Park>
void sleep_for_event(Event& event, Parker<Policy>& parker, CouldHelp could_help, Park park) noexcept {
    event.begin(parker);
    const bool goes_on =
        Policy::check(Mutation::wait_recheck, [&event] { return event.is_over() || event.has_news(); });
    if (!goes_on && parker.prepare(Parker<Policy>::kWaiting)) {
        // Whoever queues a job looks, after a fence, for somebody who sleeps in a wait that the job belongs to.
        Policy::fence(Mutation::wait_fence, std::memory_order_seq_cst);
        if (could_help()) {
            parker.cancel(Parker<Policy>::kWaiting);
        } else {
            park();
        }
    }
    event.end();
}

// Any thread, after it has queued a job and passed a seq_cst fence: whether that worker sleeps in a wait that the job
// belongs to. belongs(ancestor): the job descends from what the worker waits for.
template <class Worker, class Belongs>
bool could_be_helped_by(const Worker& worker, Belongs belongs) noexcept {
    if (!worker.parker.is_waiting()) return false;
    const auto* const awaited = worker.awaited.load(std::memory_order_relaxed);
    return awaited != nullptr && belongs(*awaited);
}

// Wakes one who sleeps in a wait that the job belongs to; false: there is none. for_each_worker(visit): visits all who
// may.
template <class ForEachWorker, class Belongs>
bool wake_waiter(ForEachWorker for_each_worker, Belongs belongs) noexcept {
    bool woken = false;
    for_each_worker([&](auto& worker) {
        if (woken || !could_be_helped_by(worker, belongs)) return;
        woken = true;
        worker.parker.notify();
    });
    return woken;
}

// Owner: returns when all jobs of the group have ended. run_next(): runs one that the owner can reach, false: there was
// none. sleep(): wait_for_event with the group's event.
template <class Completion, class RunNext, class Sleep>
void wait_for_all(const Completion& completion, RunNext run_next, Sleep sleep) noexcept {
    for (;;) {
        if (run_next()) continue;
        if (completion.done()) return;
        sleep();
    }
}

}  // namespace quarry::impl
