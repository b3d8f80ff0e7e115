#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "checker.hpp"
#include "jobs/deque/deque.hpp"
#include "model_atomics.hpp"

// Small programs over the deque. Every one requires that each entry that was pushed is taken exactly once,
// that its payload arrives, and that a thread that looks for work before it sleeps finds what was pushed.
namespace deque_models {

using quarry::impl::Mutation;
using quarry::impl::Steal;
using quarry::impl::StealStatus;

struct Node {
    model::ModelPlain<int> payload{0};
    model::ModelAtomic<int> wanted{1};
    int taken = 0;
};

using Deque = quarry::impl::Deque<model::ModelAtomics, Node*>;
inline constexpr auto kRelaxed = std::memory_order_relaxed;
inline constexpr auto kSeqCst = std::memory_order_seq_cst;

struct State {
    explicit State(std::size_t capacity, std::uint64_t first_index = 0) : named(name()), deque(capacity, first_index) {}

    static bool name() {
        model::name_next({"top", "bottom", "buffer", "slot 0"});
        return true;
    }

    bool named;
    Deque deque;
    Deque thiefs_own{1};
    std::array<Node, 5> nodes;
    std::size_t pushed = 0;
    model::ModelAtomic<int> sleeping{0};

    void push() {
        Node& node = nodes[pushed++];
        node.payload.set(42);
        deque.push(&node);
    }
    static bool take(Node* node) {
        if (node == nullptr) return false;
        model::require(node->payload.get() == 42, "an entry arrived without its payload");
        model::require(++node->taken == 1, "an entry was taken twice");
        return true;
    }
    static bool take(const Steal<Node*>& stolen) {
        model::require((stolen.value != nullptr) == (stolen.status == StealStatus::got), "a status that lies");
        return take(stolen.value);
    }
    bool pop() { return take(deque.pop()); }
    bool steal() { return take(deque.steal()); }

    // After all threads: what nobody took must still be there.
    void drain() {
        while (take(deque.pop()) || take(thiefs_own.pop())) {
        }
        for (std::size_t i = 0; i < pushed; ++i) model::require(nodes[i].taken == 1, "an entry was lost");
        model::require(deque.looks_empty() && deque.size_hint() == 0, "an empty deque does not look it");
    }
};

inline void drain_after(const std::shared_ptr<State>& state) {
    model::after([state] { state->drain(); });
}

// The owner and a thief after the only entry; the owner then uses the deque again.
inline void last_entry() {
    auto state = std::make_shared<State>(2);
    model::thread([=] {
        state->push();
        state->pop();
        state->push();
        state->pop();
    });
    model::thread([=] {
        state->steal();
        state->steal();
    });
    drain_after(state);
}

inline void owner_against_two_thieves() {
    auto state = std::make_shared<State>(4);
    state->push();
    state->push();
    model::thread([=] {
        state->pop();
        state->pop();
    });
    for (int i = 0; i < 2; ++i) model::thread([=] { state->steal(); });
    drain_after(state);
}

// The entry stays valid for a thief that reads the bottom which a pop of another entry has written.
inline void pop_behind_a_steal() {
    auto state = std::make_shared<State>(4);
    model::thread([=] {
        state->push();
        state->push();
        state->pop();
    });
    model::thread([=] { state->steal(); });
    drain_after(state);
}

inline void growth_under_a_thief() {
    auto state = std::make_shared<State>(1);
    model::thread([=] {
        state->push();
        state->push();
        state->push();
        state->pop();
    });
    model::thread([=] {
        state->steal();
        state->steal();
    });
    drain_after(state);
}

// Slots are used again as soon as the owner has seen that a thief took what was there.
inline void slots_used_again() {
    auto state = std::make_shared<State>(2);
    state->push();
    state->push();
    model::thread([=] {
        state->push();
        state->push();
        state->pop();
    });
    model::thread([=] {
        state->steal();
        state->steal();
    });
    drain_after(state);
}

inline void indices_wrap(std::uint64_t first_index) {
    auto state = std::make_shared<State>(2, first_index);
    state->push();
    model::thread([=] {
        state->push();
        state->push();
        state->pop();
        state->pop();
    });
    model::thread([=] {
        state->steal();
        state->steal();
    });
    drain_after(state);
}

// accept looks at entries that may be gone already, and refuses one until its owner changes it.
inline void conditional_steal() {
    auto state = std::make_shared<State>(1);
    state->nodes[0].wanted.store(0, kRelaxed);
    state->push();
    model::thread([=] {
        state->push();
        state->nodes[0].wanted.store(1, kRelaxed);
        state->pop();
    });
    model::thread([=] {
        for (int i = 0; i < 2; ++i) {
            int answer = -1;
            const auto stolen = state->deque.steal_if([&](Node* node) {
                answer = node->wanted.load(kRelaxed);
                return answer == 1;
            });
            model::require(stolen.status != StealStatus::got || answer == 1, "taken without being asked about");
            model::require(stolen.status != StealStatus::refused || answer == 0, "refused without being asked about");
            state->take(stolen);
        }
    });
    drain_after(state);
}

// A slow thief is shown an entry that came to the slot later, at the same place of a buffer that went round:
// the node was made by the owner, and the thief must not see it half made.
template <class Thief>
void new_node_at_the_same_place(Thief thief) {
    auto state = std::make_shared<State>(1);
    state->push();
    struct Made {
        std::unique_ptr<Node> node;
    };
    auto made = std::make_shared<Made>();
    model::thread([=] {
        state->pop();
        made->node = std::make_unique<Node>();
        made->node->payload.set(42);
        state->deque.push(made->node.get());
        state->pop();
    });
    model::thread([=] { thief(*state, [](Node* node) { return node->wanted.load(kRelaxed) == 1; }); });
    drain_after(state);
}
inline void conditional_steal_of_a_new_node() {
    new_node_at_the_same_place([](State& state, auto accept) { state.take(state.deque.steal_if(accept)); });
}
inline void look_at_a_new_node() {
    new_node_at_the_same_place([](State& state, auto accept) { (void)state.deque.oldest_satisfies(accept); });
}

inline void look_at_a_buffer_that_grows() {
    auto state = std::make_shared<State>(1);
    state->push();
    model::thread([=] { state->push(); });
    model::thread([=] {
        const bool found = state->deque.oldest_satisfies([](Node* node) { return node->wanted.load(kRelaxed) == 1; });
        model::require(found, "an entry that nobody takes was not seen");
    });
    drain_after(state);
}

inline void batch_against_pops() {
    auto state = std::make_shared<State>(4);
    for (int i = 0; i < 4; ++i) state->push();
    model::thread([=] {
        for (int i = 0; i < 3; ++i) state->pop();
    });
    model::thread([=] {
        Deque& own = state->thiefs_own;
        const auto batch = state->deque.steal_batch(own, 3);
        model::require(batch.taken <= 2, "a batch took more than half");
        model::require((batch.first != nullptr) == (batch.taken > 0), "a batch without its first entry");
        model::require(own.size_hint() + (batch.taken > 0 ? 1 : 0) == batch.taken, "a batch that counts wrong");
        State::take(batch.first);
    });
    drain_after(state);
}

inline void batch_against_a_thief() {
    auto state = std::make_shared<State>(4);
    for (int i = 0; i < 3; ++i) state->push();
    model::thread([=] { state->pop(); });
    model::thread([=] { state->steal(); });
    model::thread([=] { State::take(state->deque.steal_batch(state->thiefs_own, 2).first); });
    drain_after(state);
}

// The pusher looks for sleepers after a fence, the sleeper for work after a seq_cst operation: one sees the
// other.
inline void sleeper_looks_again() {
    auto state = std::make_shared<State>(2);
    struct Seen {
        bool sleeper = false;
        bool work = false;
    };
    auto seen = std::make_shared<Seen>();
    model::thread([=] {
        state->push();
        model::ModelAtomics::fence(kSeqCst);
        seen->sleeper = state->sleeping.load(kRelaxed) != 0;
    });
    model::thread([=] {
        state->sleeping.fetch_add(1, kSeqCst);
        seen->work = !state->deque.looks_empty();
    });
    model::after([=] { model::require(seen->sleeper || seen->work, "a sleeper and an entry missed each other"); });
    drain_after(state);
}

}  // namespace deque_models
