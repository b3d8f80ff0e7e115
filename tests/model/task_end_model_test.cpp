#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "jobs/completion/task_end.hpp"
#include "jobs/parking/parker.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"
#include "wait_models.hpp"

// The end of a task and those who are told, under C++'s memory model. A listener that is not told shows as a deadlock,
// one that is told too late, or a task that is touched after its end, as a use after destruction (R4).
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;
using Atomics = model::ModelAtomics;
using Parker = quarry::impl::Parker<Atomics>;
using TaskEnd = quarry::impl::TaskEnd<Atomics>;
using Listener = model::TaskListener;

struct Task {
    TaskEnd end;
    Atomics::Plain<int> result{0};

    void read_result() { model::require(result.get() == 7, "a wait returned before the job had ended"); }
};

// As Worker::execute and Worker::tell_of_end.
void end_task(Task& task) {
    task.result.set(7);
    quarry::impl::tell_all<Atomics>(
        task.end.set(), [](std::uintptr_t entry) { return Listener::of(entry).next.get(); },
        [](std::uintptr_t entry) {
            Listener& listener = Listener::of(entry);
            model::require(++listener.told == 1, "a listener was told twice");
            listener.tell();
        });
}

void wait_for(Task& task, Parker& parker) {
    model::wait_for_end(task.end, parker);
}

struct State {
    std::array<Parker, 2> parkers;  // outlive all waits
    std::unique_ptr<Task> owner = std::make_unique<Task>();
    Task* task = owner.get();
};

// The waiter takes the result and drops the task at once: set() is the last touch of it.
void gone_right_after_the_end() {
    auto state = std::make_shared<State>();
    model::thread([=] { end_task(*state->task); });
    model::thread([=] {
        wait_for(*state->task, state->parkers[0]);
        state->task->read_result();
        state->owner.reset();
    });
}

// Each leaves as soon as it is told, while the other one's link may have to be read.
void two_waiters() {
    auto state = std::make_shared<State>();
    model::thread([=] { end_task(*state->task); });
    for (std::size_t i = 0; i < 2; ++i) {
        model::thread([=] {
            wait_for(*state->task, state->parkers[i]);
            state->task->read_result();
        });
    }
}

// A parker that is used for one wait after the other: the first one's notification may come late.
void waits_in_a_row() {
    struct Two : State {
        Task second;
    };
    auto state = std::make_shared<Two>();
    model::thread([=] { end_task(*state->task); });
    model::thread([=] { end_task(state->second); });
    model::thread([=] {
        wait_for(*state->task, state->parkers[0]);
        state->task->read_result();
        wait_for(state->second, state->parkers[0]);
        state->second.read_result();
    });
}

// ready(), then get(): no wait at all. And a listener that comes too late sees the result.
void asked_without_waiting() {
    struct Late : State {
        Listener listener{task->end, parkers[0]};
    };
    auto state = std::make_shared<Late>();
    model::thread([=] { end_task(*state->task); });
    model::thread([=] {
        if (state->task->end.is_set()) state->task->read_result();
    });
    model::thread([=] {
        if (!state->listener.listen()) state->task->read_result();
    });
}

const Program kGone{"gone_right_after_the_end", gone_right_after_the_end};
const Program kTwoWaiters{"two_waiters", two_waiters, 2};
const Program kInARow{"waits_in_a_row", waits_in_a_row, 2};
const Program kAsked{"asked_without_waiting", asked_without_waiting};

constexpr auto kRace = "data race";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class TaskEndModel : public testing::TestWithParam<Program> {};

TEST_P(TaskEndModel, TellsEveryListenerOnce) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, TaskEndModel, testing::Values(kGone, kTwoWaiters, kInARow, kAsked), kNameOf);

class TaskEndMutation : public testing::TestWithParam<Mutant> {};

TEST_P(TaskEndMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, TaskEndMutation,
                         testing::Values(Mutant{"is_set", Mutation::task_end_is_set, kAsked, kRace},
                                         Mutant{"link_late", Mutation::task_end_link_late, kTwoWaiters, kRace},
                                         Mutant{"listen", Mutation::task_end_listen, kGone, kRace},
                                         Mutant{"listen_late", Mutation::task_end_listen_late, kAsked, kRace},
                                         Mutant{"set", Mutation::task_end_set, kAsked, kRace},
                                         Mutant{"told", Mutation::task_waiter_told, kGone, kRace},
                                         Mutant{"told_late", Mutation::task_waiter_told_late, kGone, kRace}),
                         kNameOf);

}  // namespace
