#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "jobs/claim/claim.hpp"
#include "jobs/completion/antecedents.hpp"
#include "jobs/completion/next_to_end.hpp"
#include "jobs/completion/settle.hpp"
#include "jobs/completion/task_end.hpp"
#include "jobs/parking/parker.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"
#include "wait_models.hpp"

// A wait for a continuation, against the end of what it continues and against those who cancel it, under C++'s memory
// model. A waiter that sleeps for a job which nobody will end shows as a deadlock, a node that is used after its
// recycling as a use after destruction (R4, R5).
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;
using Atomics = model::ModelAtomics;
using Parker = quarry::impl::Parker<Atomics>;
using TaskEnd = quarry::impl::TaskEnd<Atomics>;
using Listener = model::TaskListener;

constexpr std::uintptr_t kContinuationMark = 2;

// Destroyed where the pool's would be recycled.
struct alignas(32) Node {
    quarry::impl::Claim<Atomics> claim;
    TaskEnd end;
    quarry::impl::Antecedents<Atomics> antecedents;
    Atomics::Plain<std::uintptr_t> next{0};
    Atomics::Plain<int> result{0};
    Atomics::Plain<int> spare{0};  // written only by whoever recycles the node
    std::unique_ptr<Node>* owner = nullptr;
    int ends = 0;
};

struct State {
    Parker parker;  // the waiter's
    std::array<std::unique_ptr<Node>, 3> owners;
    std::array<Node*, 3> tasks{};  // each continues the one before it
    std::array<model::ModelAtomic<Node*>, 3> queue = {};
    std::array<bool, 3> cancelled{};

    explicit State(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            owners[i] = std::make_unique<Node>();
            Node& node = *(tasks[i] = owners[i].get());
            node.owner = &owners[i];
            node.claim.prepare_task(i == 0, 1);
            if (i == 0) continue;
            node.antecedents.set(reinterpret_cast<std::uintptr_t>(tasks[i - 1]));
            tasks[i - 1]->end.listen(reinterpret_cast<std::uintptr_t>(&node) | kContinuationMark,
                                     [&](std::uintptr_t next) { node.next.set(next); });
        }
        queue[0].store(tasks[0], std::memory_order_relaxed);
    }
    std::size_t index(const Node& node) const { return &node == tasks[0] ? 0 : &node == tasks[1] ? 1 : 2; }

    static void release(Node* node) {
        if (!node->claim.release()) return;
        node->spare.set(1);
        node->owner->reset();
    }
    static void drop_handle(Node& node) {
        (void)node.claim.handle_dropped();
        release(&node);
    }
    // What a continuation does when it starts, or is cancelled: it takes the result of what it continues.
    void leave_antecedent(Node& node, bool reads) {
        const std::size_t i = index(node);
        if (i == 0) return;
        node.antecedents.clear();
        Node& before = *tasks[i - 1];
        if (reads) model::require(before.result.get() == 7, "a continuation ran before what it continues had ended");
        drop_handle(before);
    }
    // As PoolCore::queue_continuation.
    void queue_continuation(Node& node) {
        std::uint32_t level = 0;
        if (node.claim.arm(level)) {
            queue[index(node)].store(&node, std::memory_order_release);
        } else {
            release(&node);
        }
    }
    // As Worker::tell_of_end: the continuation that the caller goes on with, or null.
    Node* tell(std::uintptr_t first, bool succeeds) {
        Node* successor = nullptr;
        quarry::impl::tell_all<Atomics>(
            first,
            [](std::uintptr_t entry) {
                return (entry & kContinuationMark) != 0
                           ? reinterpret_cast<Node*>(entry & ~kContinuationMark)->next.get()
                           : Listener::of(entry).next.get();
            },
            [&](std::uintptr_t entry) {
                if ((entry & kContinuationMark) == 0) {
                    Listener::of(entry).tell();
                    return;
                }
                Node& node = *reinterpret_cast<Node*>(entry & ~kContinuationMark);
                if (!succeeds) {
                    queue_continuation(node);
                } else if (node.claim.try_claim_even_if_unarmed()) {
                    successor = &node;
                } else {
                    release(&node);
                }
            });
        return successor;
    }
    // As Worker::execute, with a reference that becomes the runner's.
    Node* execute(Node& node, bool succeeds) {
        leave_antecedent(node, true);
        model::require(++node.ends == 1, "a job ended twice");
        node.result.set(7);
        (void)node.claim.ended();
        return tell(quarry::impl::end_task_node(node, release), succeeds);
    }
    // As cancel_task and PoolCore::end_cancelled, by a holder of the handle.
    void cancel(std::size_t which) {
        Node& node = *tasks[which];
        if (!node.claim.try_claim_even_if_unarmed()) return;
        cancelled[which] = true;
        leave_antecedent(node, false);
        model::require(++node.ends == 1, "a job ended twice");
        node.result.set(7);
        (void)node.claim.ended();
        tell(node.end.set(), false);
    }
    // A worker that finds the first task in its queue, and goes on with what continues it or queues that.
    void work(bool succeeds) {
        Node* node = queue[0].exchange(nullptr, std::memory_order_acquire);
        if (node == nullptr) return;
        if (!node->claim.try_claim()) return release(node);
        while (node != nullptr) node = execute(*node, succeeds);
    }
    // may_run: whether the waiter may run the jobs, or only the worker.
    void wait(Node& task, bool may_run) {
        const auto advance = [&](Node& next) {
            if (may_run && next.claim.try_claim()) {
                for (Node* job = &next; job != nullptr;) job = execute(*job, job != &task);
            } else {
                model::wait_for_end(next.end, parker);
                release(&next);
            }
        };
        quarry::impl::wait_for_chain<Atomics>(
            task, [](Node & node) -> auto& { return node.antecedents; },
            [](std::uintptr_t address) {
                auto* const node = reinterpret_cast<Node*>(address);
                return node == nullptr || node->end.is_set() ? nullptr : node;
            },
            release, advance, Atomics::cpu_relax);
        model::require(task.result.get() == 7, "a wait returned before the job had ended");
    }
    // What is left in queues at the end of a pool.
    void all_is_over(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            if (Node* const left = queue[i].exchange(nullptr, std::memory_order_acquire)) {
                model::require(!left->claim.try_claim(), "a job was left in its queue");
                release(left);
            }
            model::require(owners[i] == nullptr, "a node was not recycled");
        }
    }
};

void finish(const std::shared_ptr<State>& state, std::size_t count) {
    model::after([=] {
        State::drop_handle(*state->tasks[count - 1]);
        state->all_is_over(count);
    });
}

// The waiter runs whatever it waits for that nobody else runs. A worker takes the first task, or comes too late.
void waiter_and_worker(std::size_t count, bool succeeds) {
    auto state = std::make_shared<State>(count);
    model::thread([=] { state->wait(*state->tasks[count - 1], true); });
    model::thread([=] { state->work(succeeds); });
    finish(state, count);
}

// The only worker goes on with what continues its job; the waiter must not run any of it, and sleeps.
void waiter_that_runs_nothing() {
    auto state = std::make_shared<State>(2);
    model::thread([=] { state->wait(*state->tasks[1], false); });
    model::thread([=] { state->work(true); });
    finish(state, 2);
}

// Somebody cancels a continuation, the last one or one in the middle, while the first task ends.
void waiter_worker_and_canceller(std::size_t count, bool succeeds) {
    auto state = std::make_shared<State>(count);
    if (count == 3) state->tasks[1]->claim.retain();
    model::thread([=] { state->wait(*state->tasks[count - 1], true); });
    model::thread([=] { state->work(succeeds); });
    model::thread([=] {
        state->cancel(1);
        if (count == 3) State::release(state->tasks[1]);
    });
    finish(state, count);
}

// The waiter goes back to the antecedent at the moment when the continuation, which is all that holds it, lets go of
// it.
void visit_against_the_start() {
    auto state = std::make_shared<State>(2);
    // The first task has ended and is in no queue; the continuation is the worker's.
    State::release(state->queue[0].exchange(nullptr, std::memory_order_relaxed));
    (void)state->tasks[1]->claim.try_claim_even_if_unarmed();
    model::thread([=] {
        Node* found = nullptr;
        state->tasks[1]->antecedents.visit([&](std::uintptr_t address) {
            found = reinterpret_cast<Node*>(address);
            if (found != nullptr) found->claim.retain();
        });
        if (found != nullptr) State::release(found);
    });
    model::thread([=] { state->leave_antecedent(*state->tasks[1], false); });
    model::after([=] {
        model::require(state->owners[0] == nullptr, "a node was not recycled");
        State::release(state->tasks[1]);
        State::drop_handle(*state->tasks[1]);
    });
}

// As Gather: the list of what a task continues goes after the task was armed. A waiter that has found the task unarmed,
// and then no list, can claim it.
void list_against_its_end() {
    struct alignas(32) List {
        Atomics::Plain<int> unended{0};
    };
    struct Gathered : State {
        using State::State;
        std::unique_ptr<List> list = std::make_unique<List>();
    };
    auto state = std::make_shared<Gathered>(2);
    Node& task = *state->tasks[1];
    task.antecedents.set(reinterpret_cast<std::uintptr_t>(state->list.get()));
    model::thread([=] {
        std::uint32_t level = 0;
        model::require(state->tasks[1]->claim.arm(level), "nobody has cancelled it");
        state->tasks[1]->antecedents.clear();
        state->list.reset();
    });
    model::thread([=] {
        const quarry::impl::NextToEnd<Node> next = quarry::impl::next_to_end<Atomics>(
            *state->tasks[1], [](Node & node) -> auto& { return node.antecedents; },
            [](std::uintptr_t address) -> Node* {
                if (address != 0) model::require(reinterpret_cast<List*>(address)->unended.get() == 0, "a wrong list");
                return nullptr;
            },
            State::release);
        if (!next.is_being_queued) {
            model::require(next.job.claim.try_claim(), "a waiter cannot claim a task that nobody else has");
        }
        State::release(&next.job);
    });
    model::after([=] {
        State::drop_handle(*state->tasks[0]);
        State::release(state->tasks[0]);
        State::drop_handle(*state->tasks[1]);
        State::release(state->tasks[1]);
    });
}

const Program kList{"list_against_its_end", list_against_its_end};
const Program kVisit{"visit_against_the_start", visit_against_the_start};
const Program kQueued{"waiter_and_worker_that_queues", [] { waiter_and_worker(2, false); }, 2};
const Program kSucceeded{"waiter_and_worker_that_goes_on", [] { waiter_and_worker(2, true); }, 1};
const Program kChain{"waiter_and_worker_in_a_chain", [] { waiter_and_worker(3, false); }, 2};
const Program kRunsNothing{"waiter_that_runs_nothing", waiter_that_runs_nothing, 1};
const Program kCancelled{"canceller_and_worker_that_queues", [] { waiter_worker_and_canceller(2, false); }, 1};
const Program kCancelledOn{"canceller_and_worker_that_goes_on", [] { waiter_worker_and_canceller(2, true); }, 1};
const Program kCancelledMiddle{"canceller_in_a_chain", [] { waiter_worker_and_canceller(3, false); }, 1};

const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class ContinuationModel : public testing::TestWithParam<Program> {};

TEST_P(ContinuationModel, WaitEndsWithTheTask) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, ContinuationModel,
                         testing::Values(kList, kVisit, kQueued, kSucceeded, kChain, kRunsNothing, kCancelled,
                                         kCancelledOn, kCancelledMiddle),
                         kNameOf);

class ContinuationMutation : public testing::TestWithParam<Mutant> {};

TEST_P(ContinuationMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, ContinuationMutation,
                         testing::Values(Mutant{"clear", Mutation::chain_clear, kList, "data race"},
                                         Mutant{"cleared", Mutation::chain_cleared, kList, "cannot claim"},
                                         Mutant{"leave", Mutation::chain_leave, kList, "data race"},
                                         Mutant{"no_wait", Mutation::chain_no_wait, kVisit, "after its destruction"},
                                         Mutant{"queued", Mutation::chain_queued, kQueued, "deadlock"},
                                         Mutant{"wait", Mutation::chain_wait, kList, "data race"}),
                         kNameOf);

}  // namespace
