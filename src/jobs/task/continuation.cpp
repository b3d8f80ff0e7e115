// What runs after other tasks: then and when_all.
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "jobs/pool/pool_core.hpp"
#include "jobs/task/antecedent_list.hpp"
#include "jobs/task/life.hpp"
#include "jobs/task/task_header.hpp"
#include "jobs/task/task_listeners.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/impl/gather.hpp"
#include "quarry/jobs/impl/shared_pool.hpp"
#include "quarry/jobs/task.hpp"

namespace quarry::impl {

namespace {

// The pool in which a task is continued. A when_all of nothing has none: that of the calling job, else the shared one.
PoolCore& enter_pool_of(const TaskHeader& header) {
    if (header.home != nullptr) {
        if (!header.home->try_enter(header.home_serial)) {
            throw Error("the pool of this Task has been destroyed: nobody can run what follows it");
        }
        PoolCore& core = header.home->core();
        if (core.is_forked_copy()) {
            header.home->leave();
            core.require_usable();
        }
        return core;
    }
    const auto enter = [](PoolCore& core) -> PoolCore& {
        (void)core.task_home.try_enter(core.task_home.serial());
        return core;
    };
    if (Pool* const current = Pool::current()) return enter(current->core());
    const SharedPoolUse use;
    return enter(use.pool().core());
}

}  // namespace

// The visit ends in attach_continuation: until then the pool must not.
void prepare_continuation(Job& job, Job& antecedent) {
    auto& before = static_cast<Node&>(antecedent);
    TaskHeader& header = task_header(before);
    PoolCore& core = enter_pool_of(header);
    if (!core.try_count_continuation()) {
        core.task_home.leave();
        PoolCore::throw_closed();
    }
    auto& node = static_cast<Node&>(job);
    const SubmitOptions options{.lane = header.lane,
                                .priority = static_cast<Priority>(before.claim.priority()),
                                .stop_token = {},
                                .name = header.name};
    make_task(core, node, options, false);
    task_header(node).antecedents.set(reinterpret_cast<std::uintptr_t>(&before));
}

void attach_continuation(Job& job, Job& antecedent) noexcept {
    auto& node = static_cast<Node&>(job);
    TaskHome& home = *task_header(node).home;
    // Once it listens the continuation may run and be gone.
    if (!listen_as_continuation(static_cast<Node&>(antecedent), node)) queue_continuation(home.core(), node);
    home.leave();
}

void detach_antecedents(Job& job) noexcept {
    task_header(static_cast<Node&>(job)).antecedents.clear();
}

class Gather {
  public:
    Gather(Job& job, std::vector<Job*> antecedents)
        : job_(static_cast<Node&>(job)),
          jobs_(std::move(antecedents)),
          list_{jobs_.size(), jobs_.data(), 0},
          listeners_(jobs_.size()),
          left_(jobs_.size() + 1) {}
    Gather(const Gather&) = delete;
    Gather& operator=(const Gather&) = delete;

    void prepare() {
        const TaskHome* const home = task_header(static_cast<Node&>(*jobs_.front())).home;
        for (Job* const job : jobs_) {
            if (task_header(static_cast<Node&>(*job)).home != home) require_end_of(static_cast<Node&>(*job));
        }
        prepare_continuation(job_, *jobs_.front());
        task_header(job_).antecedents.set(reinterpret_cast<std::uintptr_t>(&list_) | kAntecedentListMark);
    }

    void attach() noexcept {
        TaskHome& home = *task_header(job_).home;
        std::size_t ended = 1;  // what kept it from starting until now
        for (std::size_t i = 0; i < list_.count; ++i) {
            Listener& listener = listeners_[i];
            listener.gather = this;
            listener.ended = [](EndListener& one) noexcept { static_cast<Listener&>(one).gather->have_ended(1); };
            if (!listen_for_end(*jobs_[i], listener)) ++ended;
        }
        have_ended(ended);
        home.leave();
    }

  private:
    struct Listener : EndListener {
        Gather* gather;
    };

    // A waiter goes back to the antecedents as long as the job is not armed, so they go after that, and after them the
    // list. The job itself may be over by then, and with it its pool: the caller may be a thread of another one.
    void have_ended(std::size_t count) noexcept {
        if (left_.fetch_sub(count, std::memory_order_acq_rel) != count) return;
        job_.claim.retain();
        {
            // This thread may be one of another pool, and the job's own pool may end as soon as the job has.
            const TaskVisit visit(job_);
            if (visit) {
                queue_continuation(visit.core(), job_);
            } else {
                release(&job_);  // it was cancelled, and its pool has ended since
            }
        }
        detach_antecedents(job_);
        release(&job_);
        delete this;
    }
    ~Gather() = default;

    Node& job_;
    const std::vector<Job*> jobs_;
    AntecedentList list_;
    std::vector<Listener> listeners_;
    std::atomic<std::size_t> left_;

    friend Gather& prepare_gather(Job& job, std::vector<Job*> antecedents);
    friend std::default_delete<Gather>;
};

Gather& prepare_gather(Job& job, std::vector<Job*> antecedents) {
    auto gather = std::make_unique<Gather>(job, std::move(antecedents));
    gather->prepare();
    return *gather.release();
}

void attach_gather(Gather& gather) noexcept {
    gather.attach();
}

void make_ended_task(Job& job) noexcept {
    auto& node = static_cast<Node&>(job);
    auto& header = *::new (static_cast<void*>(node.closure)) TaskHeader{};
    header.outcome = Outcome::value;
    node.group = Node::task_mark();
    ::new (static_cast<void*>(&node.end)) TaskEnd<DefaultAtomics>;
    node.become_root(Priority::normal);
    node.claim.prepare_task(true, static_cast<std::uint32_t>(Priority::normal));
    (void)node.claim.try_claim();
    (void)node.claim.ended();
    (void)node.end.set();
    release(&node);
}

}  // namespace quarry::impl
