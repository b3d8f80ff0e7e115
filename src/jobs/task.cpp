#include "quarry/jobs/task.hpp"

#include <cstdio>

#include "jobs/pool_core.hpp"
#include "jobs/worker.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::impl {
namespace {

class Visit {
  public:
    explicit Visit(TaskHome& home) noexcept : home_(home) { home_.enter(); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() { home_.leave(); }

  private:
    TaskHome& home_;
};

}  // namespace

std::shared_ptr<TaskHome> task_home(PoolCore& core) {
    return core.task_home;
}

void report_detached_error(TaskHome& home, std::exception_ptr error) noexcept {
    if (home.on_error) {
        home.on_error(std::move(error));
        return;
    }
    if (home.error_logged.exchange(true, std::memory_order_relaxed)) return;
    try {
        std::rethrow_exception(std::move(error));
    } catch (const std::exception& thrown) {
        std::fprintf(stderr, "quarry: a detached task failed: %s (further ones are only counted)\n", thrown.what());
    } catch (...) {
        std::fputs("quarry: a detached task failed (further ones are only counted)\n", stderr);
    }
}

void submit_task(PoolCore& core, Job& job) {
    auto& node = static_cast<Node&>(job);
    node.group = nullptr;
    ::new (static_cast<void*>(&node.latch)) Latch<DefaultAtomics>;
    node.descend_from(nullptr);
    node.claim.prepare(2, true, true);  // the queue's and the Task's
    try {
        core.submit(node);
    } catch (...) {
        node.operate(node, Job::Operation::discard);
        node.operate(node, Job::Operation::destroy);
        free_job(node);
        throw;
    }
}

bool task_ready(const Job& job) noexcept {
    return static_cast<const Node&>(job).latch.is_set();
}

void wait_for_task(Job& job, TaskHome& home) {
    auto& node = static_cast<Node&>(job);
    if (node.latch.is_set()) return;
    const Visit visit(home);
    if (node.latch.is_set()) return;
    const Participation participation(*home.core);
    Worker& worker = participation.worker();
    if (node.claim.try_claim()) {
        // The Task keeps its own reference; the one that execute() drops is the runner's.
        node.claim.retain();
        worker.forget_submitted(node);
        worker.execute(node);
    } else {
        worker.wait_for(node);
    }
}

void throw_no_result() {
    throw Error("this Task is empty: it was moved from, its result was taken, or it was never submitted");
}

void task_failed() noexcept {
    Worker::current()->job_threw = true;
}

}  // namespace quarry::impl
