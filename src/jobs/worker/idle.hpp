#pragma once

#include "jobs/task/node.hpp"
#include "jobs/worker/spin_budget.hpp"

namespace quarry::impl {

class Worker;

// How long an idle worker searches before it sleeps, and what it does in between. Who wakes it is decided in
// parking/crews.hpp.
class Idle {
  public:
    explicit Idle(bool guest) noexcept
        : budget_(SpinBudget::within_computation(guest)), after_outside_(SpinBudget::after_wake_from_outside()) {}

    // A job, or null: the pool has ended.
    Node* until_work(Worker& me);

  private:
    class Period;

    SpinBudget budget_;
    SpinBudget after_outside_;         // for the search after a job that it was woken for from outside
    bool woken_from_outside_ = false;  // for the job that was found last
};

}  // namespace quarry::impl
