#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "jobs/claim/claim.hpp"
#include "jobs/completion/settle.hpp"
#include "jobs/completion/task_end.hpp"
#include "jobs/parking/parker.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"
#include "wait_models.hpp"

// The end of a task whose handle is dropped while it runs, or before, under C++'s memory model: whoever still waits or
// listens is told, the result dies once, the node is recycled once.
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;
using Atomics = model::ModelAtomics;
using Listener = model::TaskListener;

constexpr std::uintptr_t kContinuationMark = 2;

// Destroyed where the pool's would be recycled.
struct alignas(32) Node {
    quarry::impl::Claim<Atomics> claim;
    quarry::impl::TaskEnd<Atomics> end;
    Atomics::Plain<std::uintptr_t> next{0};
    Atomics::Plain<int> result{0};
    Atomics::Plain<int> header{0};  // read by whoever has a handle; written by whoever recycles the node
    std::unique_ptr<Node>* owner = nullptr;
    int results_destroyed = 0;
};

struct State {
    quarry::impl::Parker<Atomics> parker;  // of a thread that waits
    std::array<std::unique_ptr<Node>, 2> owners{std::make_unique<Node>(), std::make_unique<Node>()};
    Node& task = *owners[0];
    Node& continuation = *owners[1];
    bool queued = false;  // the continuation, in time before it is cancelled
    int destroyed = 0;    // results of the task

    State() {
        for (auto& owner : owners) owner->owner = &owner;
        task.claim.prepare_task(true, 1);
        continuation.claim.prepare_task(false, 1);
    }
    static void release(Node* node) {
        if (!node->claim.release()) return;
        node->header.set(1);
        node->owner->reset();
    }
    // As impl::drop_handle, by a thread that has used the handle before.
    void drop_handle(Node& node) {
        (void)node.header.get();
        if (node.claim.drop_handle_before_end()) return;
        if (node.claim.handle_dropped()) destroy_result(node);
        release(&node);
    }
    void destroy_result(Node& node) {
        node.result.set(0);
        if (&node == &task) ++destroyed;
    }
    // As Worker::execute, for a task that was found in its queue.
    void run_and_end() {
        if (!task.claim.try_claim()) return release(&task);
        task.result.set(7);
        if (task.claim.ended()) destroy_result(task);
        const std::uintptr_t first = quarry::impl::end_task_node(task, release);
        quarry::impl::tell_all<Atomics>(
            first,
            [](std::uintptr_t entry) {
                return (entry & kContinuationMark) != 0
                           ? reinterpret_cast<Node*>(entry & ~kContinuationMark)->next.get()
                           : Listener::of(entry).next.get();
            },
            [this](std::uintptr_t entry) {
                if ((entry & kContinuationMark) == 0) return Listener::of(entry).tell();
                // As PoolCore::queue_continuation.
                auto* const node = reinterpret_cast<Node*>(entry & ~kContinuationMark);
                std::uint32_t level = 0;
                if (node->claim.arm(level)) {
                    queued = true;
                } else {
                    release(node);
                }
            });
    }
    // As then(): the continuation has the task's handle, until it starts or is cancelled.
    bool continue_task() {
        return task.end.listen(reinterpret_cast<std::uintptr_t>(&continuation) | kContinuationMark,
                               [this](std::uintptr_t other) { continuation.next.set(other); });
    }
    void cancel_continuation() {
        model::require(continuation.claim.try_claim_even_if_unarmed(), "nobody else has it");
        drop_handle(task);
        if (continuation.claim.ended()) destroy_result(continuation);
        drop_handle(continuation);
    }
    void all_is_over() const {
        model::require(destroyed == 1, "a result was not destroyed exactly once");
        for (const auto& owner : owners) model::require(owner == nullptr, "a node was not recycled");
    }
};

void finish(const std::shared_ptr<State>& state, bool with_continuation) {
    model::after([=] {
        if (!with_continuation) {
            state->drop_handle(state->continuation);
            State::release(&state->continuation);
        }
        // Whoever finds the entry of a job that was cancelled drops it.
        if (state->queued) State::release(&state->continuation);
        state->all_is_over();
    });
}

// Nobody is interested.
void dropped_against_the_end() {
    auto state = std::make_shared<State>();
    model::thread([=] { state->run_and_end(); });
    model::thread([=] { state->drop_handle(state->task); });
    finish(state, false);
}

// The task's handle goes with a continuation that is cancelled; its entry in the list of the task's end stays.
void continued_cancelled_and_dropped() {
    auto state = std::make_shared<State>();
    model::thread([=] { state->run_and_end(); });
    model::thread([=] {
        if (state->continue_task()) {
            state->cancel_continuation();
        } else {
            state->drop_handle(state->task);
            state->drop_handle(state->continuation);
            State::release(&state->continuation);
        }
    });
    finish(state, true);
}

// A thread goes back to the task from what continues it, and waits with a reference of its own.
void waited_for_and_dropped() {
    auto state = std::make_shared<State>();
    state->task.claim.retain();
    model::thread([=] { state->run_and_end(); });
    model::thread([=] { state->drop_handle(state->task); });
    model::thread([=] {
        model::wait_for_end(state->task.end, state->parker);
        State::release(&state->task);
    });
    finish(state, false);
}

const Program kDropped{"dropped_against_the_end", dropped_against_the_end};
const Program kCancelled{"continued_cancelled_and_dropped", continued_cancelled_and_dropped};
const Program kWaited{"waited_for_and_dropped", waited_for_and_dropped, 2};

const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class DetachedEndModel : public testing::TestWithParam<Program> {};

TEST_P(DetachedEndModel, TellsThoseWhoAreLeft) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, DetachedEndModel, testing::Values(kDropped, kCancelled, kWaited), kNameOf);

class DetachedEndMutation : public testing::TestWithParam<Mutant> {};

TEST_P(DetachedEndMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, DetachedEndMutation,
                         testing::Values(Mutant{"drop_early", Mutation::claim_drop_early, kCancelled, "race"},
                                         Mutant{"forgotten", Mutation::claim_forgotten, kCancelled, "not recycled"},
                                         Mutant{"forgotten_reference", Mutation::claim_forgotten_handle_only, kWaited,
                                                "deadlock"}),
                         kNameOf);

}  // namespace
