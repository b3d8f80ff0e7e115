#pragma once

#include <cstdint>
#include <memory>

#include "jobs/completion/task_end.hpp"
#include "jobs/completion/wait.hpp"
#include "jobs/parking/parker.hpp"
#include "model_atomics.hpp"

// The waits of the engine in their shortest form: nothing to help with, no looking around before the sleep.
namespace model {

template <class Event>
void wait_asleep(Event& event, quarry::impl::Parker<ModelAtomics>& parker) {
    using Parker = quarry::impl::Parker<ModelAtomics>;
    quarry::impl::wait_for_event(
        event, [] { return false; },
        [&] {
            quarry::impl::sleep_for_event(
                event, parker, [] { return false; }, [&] { parker.park(Parker::kWaiting); });
        });
}

// A thread in the list of a task's end.
class TaskListener : public quarry::impl::TaskEvent<ModelAtomics> {
  public:
    using Parker = quarry::impl::Parker<ModelAtomics>;
    using TaskEnd = quarry::impl::TaskEnd<ModelAtomics>;

    TaskListener(TaskEnd& end, Parker& parker) : TaskEvent(end, parker), end_(end) {}

    static TaskListener& of(std::uintptr_t entry) { return *reinterpret_cast<TaskListener*>(entry); }

    bool listen() {
        return end_.listen(reinterpret_cast<std::uintptr_t>(this), [this](std::uintptr_t other) { next.set(other); });
    }
    void begin(Parker&) {
        TaskEvent::begin([this] { return listen(); });
    }

    ModelPlain<std::uintptr_t> next{0};
    int told = 0;

  private:
    TaskEnd& end_;
};

// As Worker::wait_for_end.
inline void wait_for_end(TaskListener::TaskEnd& end, TaskListener::Parker& parker) {
    if (end.is_set()) return;
    // On the heap, where a late access is found out; it goes with the wait, as it would from the stack.
    const auto listener = std::make_unique<TaskListener>(end, parker);
    wait_asleep(*listener, parker);
}

}  // namespace model
