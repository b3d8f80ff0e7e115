#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "checker.hpp"
#include "jobs/claim/claim.hpp"
#include "jobs/completion/completion.hpp"
#include "jobs/completion/publish.hpp"
#include "jobs/completion/wait.hpp"
#include "jobs/parking/parker.hpp"
#include "model_atomics.hpp"
#include "wait_models.hpp"

// Small programs over the end of a group. Its memory is destroyed as soon as the owner's wait returns: whoever touches
// it later is found out. A job that nobody runs shows as a deadlock of the owner.
namespace completion_models {

using quarry::impl::Mutation;
using Atomics = model::ModelAtomics;
using Parker = quarry::impl::Parker<Atomics>;

struct Node {
    quarry::impl::Claim<Atomics> claim;
    Atomics::Plain<Node*> next{nullptr};
    Atomics::Plain<int> closure{0};
    Atomics::Plain<int> result{0};
};

// One worker: where it sleeps, and the far deque in which others find what it has published; one place is enough.
struct Worker {
    Parker parker;
    model::ModelAtomic<Node*> far{nullptr};
};

struct Group {
    quarry::impl::Completion<Atomics, Node> completion;
    Worker* owner = nullptr;
    Node* listed = nullptr;
};

struct State {
    std::array<Worker, 2> workers;  // outlive all groups
    std::array<Node, 3> nodes;
    std::array<std::unique_ptr<Group>, 2> owners;
    std::array<Group*, 2> groups{};

    explicit State(std::size_t group_count) {
        for (std::size_t i = 0; i < group_count; ++i) {
            owners[i] = std::make_unique<Group>();
            groups[i] = owners[i].get();
            groups[i]->owner = &workers[i];
        }
    }
    void spawn(std::size_t which) {
        nodes[which].closure.set(42);
        nodes[which].claim.prepare(1, false, false);
    }
    static void run(Node& node) {
        model::require(node.closure.get() == 42, "a job ran twice, or without its closure");
        node.closure.set(0);
        node.result.set(7);
    }
    // As Worker::execute, elsewhere than on the owner's thread.
    void execute_elsewhere(Node& node, Group& group) {
        run(node);
        quarry::impl::finish_for_owner(group);
    }
    // As Worker::publish.
    void publish(Node& node, Group& group, Worker& by) {
        quarry::impl::list_for_owner(group, node, [&] {
            node.claim.share();
            by.far.store(&node, std::memory_order_release);
        });
    }
    // As Worker::steal_far_from.
    Node* steal_far(Worker& from) {
        Node* const node = from.far.exchange(nullptr, std::memory_order_acquire);
        return node != nullptr && node->claim.try_claim() ? node : nullptr;
    }
    bool run_next_listed(Group& group) {
        Node* const node = quarry::impl::next_listed(group.completion, group.listed,
                                                     [](Node* one) { return one->claim.try_claim() ? one : nullptr; });
        if (node == nullptr) return false;
        run(*node);
        group.completion.finished_by_owner();
        return true;
    }
    // As Worker::wait_for_group.
    void wait(std::size_t which) {
        Group& group = *groups[which];
        quarry::impl::wait_for_all(
            group.completion, [&] { return run_next_listed(group); },
            [&] {
                quarry::impl::GroupEvent<Atomics, Node> event{group.completion, group.listed};
                model::wait_asleep(event, workers[which].parker);
            });
    }
    // The scope returns: results are read, the group goes.
    void leave(std::size_t which, std::initializer_list<std::size_t> jobs) {
        for (const std::size_t job : jobs) {
            model::require(nodes[job].result.get() == 7, "a scope returned before its jobs had ended");
        }
        owners[which].reset();
    }
};

// The owner spawns; two others have taken the jobs and finish them.
inline void finished_by_others(std::size_t others) {
    auto state = std::make_shared<State>(1);
    for (std::size_t i = 0; i < others; ++i) {
        state->spawn(i);
        state->groups[0]->completion.spawned_by_owner();
    }
    model::thread([=] {
        state->wait(0);
        if (others == 1) state->leave(0, {0});
        if (others == 2) state->leave(0, {0, 1});
    });
    for (std::size_t i = 0; i < others; ++i) {
        model::thread([=] { state->execute_elsewhere(state->nodes[i], *state->groups[0]); });
    }
}

// A job spawns another one into the group and ends before it; a third thread finishes that one.
inline void spawned_by_a_job() {
    auto state = std::make_shared<State>(1);
    state->spawn(0);
    state->groups[0]->completion.spawned_by_owner();
    model::thread([=] {
        state->wait(0);
        state->leave(0, {0, 1});
    });
    model::thread([=] {
        state->spawn(1);
        state->groups[0]->completion.spawned_elsewhere();
        state->workers[1].far.store(&state->nodes[1], std::memory_order_release);
        state->execute_elsewhere(state->nodes[0], *state->groups[0]);
        Node* const left = state->workers[1].far.exchange(nullptr, std::memory_order_acquire);
        if (left != nullptr) state->execute_elsewhere(*left, *state->groups[0]);
    });
    model::thread([=] {
        Node* const node = state->workers[1].far.exchange(nullptr, std::memory_order_acquire);
        if (node != nullptr) state->execute_elsewhere(*node, *state->groups[0]);
    });
}

// A worker that is in no job of the group publishes one that it has stolen, and sleeps (ends): the owner must find it.
// With a thief, the job may be run, and the group be over, before it is listed.
inline void listed_against_the_owner(bool thief) {
    auto state = std::make_shared<State>(1);
    state->spawn(0);
    state->groups[0]->completion.spawned_by_owner();
    model::thread([=] {
        state->wait(0);
        state->leave(0, {0});
    });
    model::thread([=] { state->publish(state->nodes[0], *state->groups[0], state->workers[1]); });
    if (!thief) return;
    model::thread([=] {
        Node* const node = state->steal_far(state->workers[1]);
        if (node != nullptr) state->execute_elsewhere(*node, *state->groups[0]);
    });
}

// Two jobs of one group are listed by different workers.
inline void listed_by_two() {
    auto state = std::make_shared<State>(1);
    for (std::size_t i = 0; i < 2; ++i) {
        state->spawn(i);
        state->groups[0]->completion.spawned_by_owner();
    }
    model::thread([=] {
        state->wait(0);
        state->leave(0, {0, 1});
    });
    for (std::size_t i = 0; i < 2; ++i) {
        model::thread([=] { state->publish(state->nodes[i], *state->groups[0], state->workers[i]); });
    }
}

// Each of two workers waits for a job that lies hidden in the other one's deque: both publish what they hide before
// they sleep.
inline void hidden_in_each_other() {
    auto state = std::make_shared<State>(2);
    for (std::size_t i = 0; i < 2; ++i) {
        state->spawn(i);
        state->groups[i]->completion.spawned_by_owner();
    }
    for (std::size_t i = 0; i < 2; ++i) {
        model::thread([=] {
            state->publish(state->nodes[1 - i], *state->groups[1 - i], state->workers[i]);
            state->wait(i);
            state->leave(i, {i});
        });
    }
}

}  // namespace completion_models
