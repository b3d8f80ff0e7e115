#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "jobs/queue/bounded_queue.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"

// The bounded queue under C++'s memory model: nothing lost, nothing twice, never more than the capacity, in
// order.
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;

struct Node {
    model::ModelPlain<int> payload{0};
    int popped = 0;
};
using Queue = quarry::impl::BoundedQueue<model::ModelAtomics, Node*>;

constexpr std::uint64_t kLastLap = (std::uint64_t{1} << 44) - 1;

struct State {
    explicit State(std::size_t capacity, std::uint64_t first_lap = 0) : queue(capacity, first_lap) {}

    Queue queue;
    std::array<Node, 4> nodes;
    std::array<bool, 4> accepted{};
    model::ModelAtomic<int> sleeping{0};

    bool push(std::size_t which) {
        nodes[which].payload.set(static_cast<int>(which) + 10);
        return accepted[which] = queue.try_push(&nodes[which]);
    }
    // Answers which one came, or -1.
    int take(Node* node) {
        if (node == nullptr) return -1;
        const auto which = static_cast<std::size_t>(node - nodes.data());
        model::require(node->payload.get() == static_cast<int>(which) + 10, "an entry arrived without its payload");
        model::require(++node->popped == 1, "an entry was popped twice");
        return static_cast<int>(which);
    }
    int pop() {
        Node* node = nullptr;
        (void)queue.try_pop_batch(&node, 1);
        return take(node);
    }
    void drain() {
        while (pop() >= 0) {
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            model::require(nodes[i].popped == (accepted[i] ? 1 : 0), "an entry was lost");
        }
        model::require(queue.looks_empty(), "an empty queue does not look it");
    }
};

void drain_after(const std::shared_ptr<State>& state) {
    model::after([state] { state->drain(); });
}

void two_pushers_fill_a_queue(std::size_t capacity) {
    auto state = std::make_shared<State>(capacity);
    model::thread([=] {
        state->push(0);
        state->push(1);
    });
    model::thread([=] {
        state->push(2);
        state->push(3);
    });
    model::after([=] {
        std::size_t taken = 0;
        for (const bool each : state->accepted) taken += each ? 1 : 0;
        model::require(taken == capacity, "a queue took more or less than its capacity");
    });
    drain_after(state);
}

void pushers_and_poppers() {
    auto state = std::make_shared<State>(2);
    model::thread([=] { state->push(0); });
    model::thread([=] { state->push(1); });
    model::thread([=] { state->pop(); });
    model::thread([=] { state->pop(); });
    drain_after(state);
}

// The slots go round more than once, so that every reader of a slot meets the next writer of it.
void laps(std::size_t capacity, std::uint64_t first_lap) {
    auto state = std::make_shared<State>(capacity, first_lap);
    state->push(0);
    model::thread([=] {
        for (std::size_t i = 1; i < 4; ++i) state->push(i);
    });
    model::thread([=] {
        int last = -1;
        for (int i = 0; i < 3; ++i) {
            const int which = state->pop();
            model::require(which < 0 || which > last, "entries of one thread came out of order");
            last = which < 0 ? last : which;
        }
    });
    drain_after(state);
}

void two_poppers_in_batches() {
    auto state = std::make_shared<State>(3);
    state->push(0);
    state->push(1);
    for (int i = 0; i < 2; ++i) {
        model::thread([=] {
            std::array<Node*, 2> batch{};
            const std::size_t count = state->queue.try_pop_batch(batch.data(), batch.size());
            for (std::size_t k = 0; k < count; ++k) state->take(batch[k]);
        });
    }
    model::thread([=] {
        state->push(2);
        state->push(3);
    });
    drain_after(state);
}

void sleeper_looks_again() {
    auto state = std::make_shared<State>(1);
    struct Seen {
        bool sleeper = false;
        bool work = false;
    };
    auto seen = std::make_shared<Seen>();
    model::thread([=] {
        state->push(0);
        model::ModelAtomics::fence(std::memory_order_seq_cst);
        seen->sleeper = state->sleeping.load(std::memory_order_relaxed) != 0;
    });
    model::thread([=] {
        state->sleeping.fetch_add(1, std::memory_order_seq_cst);
        seen->work = !state->queue.looks_empty();
    });
    model::after([=] { model::require(seen->sleeper || seen->work, "a sleeper and an entry missed each other"); });
    drain_after(state);
}

const Program kFillOne{"two_pushers_fill_one_slot", [] { two_pushers_fill_a_queue(1); }};
const Program kFillThree{"two_pushers_fill_three_slots", [] { two_pushers_fill_a_queue(3); }};
const Program kPushersAndPoppers{"pushers_and_poppers", pushers_and_poppers};
const Program kLapsOfOne{"laps_of_one", [] { laps(1, 0); }};
const Program kLapsOfTwo{"laps_of_two", [] { laps(2, 0); }};
const Program kLapsWrap{"lap_count_wraps", [] { laps(1, kLastLap); }};
const Program kBatches{"two_poppers_in_batches", two_poppers_in_batches};
const Program kSleeper{"sleeper_looks_again", sleeper_looks_again};

const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class QueueModel : public testing::TestWithParam<Program> {};

TEST_P(QueueModel, LosesNothingAndGivesNothingTwice) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, QueueModel,
                         testing::Values(kFillOne, kFillThree, kPushersAndPoppers, kLapsOfOne, kLapsOfTwo, kLapsWrap,
                                         kBatches, kSleeper),
                         kNameOf);

class QueueMutation : public testing::TestWithParam<Mutant> {};

TEST_P(QueueMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, QueueMutation,
                         testing::Values(Mutant{"empty_tail", Mutation::queue_empty_tail, kSleeper,
                                                "missed each other"},
                                         Mutant{"pop_acquire", Mutation::queue_pop_acquire, kLapsOfOne, "data race"},
                                         Mutant{"pop_claim", Mutation::queue_pop_claim, kBatches, "popped twice"},
                                         Mutant{"pop_release", Mutation::queue_pop_release, kLapsOfOne, "data race"},
                                         Mutant{"push_acquire", Mutation::queue_push_acquire, kLapsOfOne, "data race"},
                                         Mutant{"push_claim", Mutation::queue_push_claim, kFillOne, "data race"},
                                         Mutant{"push_publish", Mutation::queue_push_publish, kLapsOfOne, "data race"}),
                         kNameOf);

}  // namespace
