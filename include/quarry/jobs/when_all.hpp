#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "quarry/jobs/impl/gather.hpp"
#include "quarry/jobs/task.hpp"

namespace quarry {

namespace impl {

// Holds the tasks until all have ended, then makes one result of theirs. Collect: static Result collect(Tasks&), and
// static void for_each(Tasks&, visit).
template <class Tasks, class Result, class Collect>
struct WhenAllBody {
    explicit WhenAllBody(Tasks&& all) noexcept : tasks(std::move(all)) {}

    TaskResult<Result> result;
    Tasks tasks;

    static void operate(Job& job, Job::Operation operation) {
        WhenAllBody& body = BodyIn<WhenAllBody>::get(job);
        if (operation == Job::Operation::destroy) {
            drop_result(job, body.result);
            return BodyIn<WhenAllBody>::destroy(job);
        }
        detach_antecedents(job);
        if (operation == Job::Operation::run) {
            body.run(job);
        } else {
            task_front(job).outcome = Outcome::cancelled;
        }
        body.tasks = Tasks();
    }

  private:
    // The first error in the order of the tasks; else whether one was cancelled; else all values.
    void run(Job& job) noexcept {
        bool failed = false;
        bool cancelled = false;
        Collect::for_each(tasks, [&](auto& task) {
            const Outcome outcome = task_front(*TaskAccess::job(task)).outcome;
            cancelled = cancelled || outcome == Outcome::cancelled;
            if (outcome != Outcome::error || failed) return;
            failed = true;
            put_error(job, result, take_error(*TaskAccess::job(task), TaskAccess::result(task)));
        });
        if (failed) return;
        if (cancelled) {
            task_front(job).outcome = Outcome::cancelled;
            return task_cancelled_itself();
        }
        put_result_of(job, result, [&] { return Collect::collect(tasks); });
    }
};

template <class... R>
struct CollectTuple {
    static constexpr bool kMayBeEmpty = false;
    using Tasks = std::tuple<Task<R>...>;
    using Result = std::tuple<NonVoid<R>...>;

    static Result collect(Tasks& tasks) {
        return std::apply([](auto&... task) { return Result(std::move(TaskAccess::result(task).value)...); }, tasks);
    }
    template <class Visit>
    static void for_each(Tasks& tasks, Visit visit) {
        std::apply([&](auto&... task) { (visit(task), ...); }, tasks);
    }
};

template <class R>
struct CollectVector {
    static constexpr bool kMayBeEmpty = true;
    using Tasks = std::vector<Task<R>>;
    using Result = std::conditional_t<std::is_void_v<R>, void, std::vector<NonVoid<R>>>;

    static NonVoid<Result> collect(Tasks& tasks) {
        if constexpr (std::is_void_v<R>) {
            return {};
        } else {
            Result values;
            values.reserve(tasks.size());
            for (Task<R>& task : tasks) values.push_back(std::move(TaskAccess::result(task).value));
            return values;
        }
    }
    template <class Visit>
    static void for_each(Tasks& tasks, Visit visit) {
        for (Task<R>& task : tasks) visit(task);
    }
};

template <class Collect>
Task<typename Collect::Result> gather_all(typename Collect::Tasks&& tasks) {
    using Body = WhenAllBody<typename Collect::Tasks, typename Collect::Result, Collect>;
    std::vector<Job*> jobs;
    Collect::for_each(tasks, [&](auto& task) {
        if (!task.valid()) throw_no_result();
        jobs.push_back(TaskAccess::job(task));
    });
    JobUnderConstruction under_construction(allocate_job());
    Body& body = BodyIn<Body>::emplace(under_construction.get(), std::move(tasks));
    // Of a tuple there is at least one; and its values need no default constructor.
    if constexpr (Collect::kMayBeEmpty) {
        if (jobs.empty()) {
            ::new (static_cast<void*>(&body.result.value)) NonVoid<typename Collect::Result>();
            Job& ended = under_construction.complete(&Body::operate);
            make_ended_task(ended);
            return TaskAccess::make(ended, body.result);
        }
    }
    Gather* gather = nullptr;
    try {
        gather = &prepare_gather(under_construction.get(), std::move(jobs));
    } catch (...) {
        BodyIn<Body>::destroy(under_construction.get());
        throw;
    }
    Job& job = under_construction.complete(&Body::operate);
    Task<typename Collect::Result> task = TaskAccess::make(job, body.result);
    attach_gather(*gather);
    return task;
}

}  // namespace impl

// A job that ends when all of them have ended, with all their values (void as std::monostate), in the lane and at the
// priority of the first. If one failed it fails with the first error in the order given, the others go to
// PoolOptions::on_error; if one was cancelled it is cancelled. The tasks may be of several pools, and are consumed.
template <class First, class... Rest>
auto when_all(Task<First> first, Task<Rest>... rest) {
    return impl::gather_all<impl::CollectTuple<First, Rest...>>({std::move(first), std::move(rest)...});
}

// A task that ends when any number of tasks of one type have: their values in a vector, or void. Without any task it
// has ended already.
template <class R>
auto when_all(std::vector<Task<R>> tasks) {
    return impl::gather_all<impl::CollectVector<R>>(std::move(tasks));
}

}  // namespace quarry
