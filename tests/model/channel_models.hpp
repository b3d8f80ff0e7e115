#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "checker.hpp"
#include "model_atomics.hpp"
#include "quarry/jobs/impl/channel_ring.hpp"
#include "quarry/jobs/impl/mutation.hpp"

// Small programs over the channel. A lost wake-up shows as a deadlock.
namespace channel_models {

using quarry::impl::Mutation;

using Atomics = model::ModelAtomics;

struct NoSpin {
    template <class Ready>
    bool until(Ready) {
        return false;
    }
};

// A value whose every construction, move and destruction the checker sees. The move throws if it
// may and `fails` is set.
template <bool kThrows>
class Value {
  public:
    explicit Value(std::size_t number) : number_(number) {}
    // NOLINTNEXTLINE(performance-noexcept-move-constructor): one that may throw is a case of its own
    Value(Value&& other) noexcept(!kThrows) : number_(other.number_.get()) {
        if constexpr (kThrows) {
            if (other.fails) throw 1;  // NOLINT: the smallest exception there is
        }
    }
    std::size_t number() const { return number_.get(); }

    bool fails = false;

  private:
    model::ModelPlain<std::size_t> number_;
};

inline constexpr int kNobody = -1;
inline constexpr std::int64_t kSoon = 1;

template <class T>
struct State {
    using Ring = quarry::impl::ChannelRing<Atomics, T, NoSpin>;
    using Outcome = typename Ring::Outcome;
    struct Taken {
        Taken(std::in_place_t, T&& moved) : value(std::move(moved)) {}
        T value;
    };

    explicit State(std::size_t capacity, std::uint64_t first_lap = 0) : ring(capacity, first_lap) {}

    Ring ring;
    std::array<int, 4> sent{};
    std::array<int, 4> received{};

    Outcome finish_send(typename Ring::Claim& claim, Outcome outcome, std::size_t number, bool fails) {
        if (outcome != Outcome::done) return outcome;
        T value(number);
        value.fails = fails;
        try {
            ring.finish_send(claim, value);
            ++sent[number];
        } catch (int) {
            model::require(fails, "a move threw that should not");
        }
        return outcome;
    }
    Outcome try_send(std::size_t number, bool fails = false) {
        typename Ring::Claim claim;
        const Outcome outcome = ring.begin_send(claim);
        return finish_send(claim, outcome, number, fails);
    }
    Outcome send(std::size_t number, bool fails = false) {
        typename Ring::Claim claim;
        const Outcome outcome = ring.wait_to_send(claim);
        model::require(outcome != Outcome::not_yet, "a send came back without room");
        return finish_send(claim, outcome, number, fails);
    }
    int finish_receive(typename Ring::Claim& claim, Outcome outcome) {
        if (outcome != Outcome::done) return kNobody;
        const std::size_t number = ring.template finish_receive<Taken>(claim).value.number();
        model::require(++received[number] == 1, "a value was received twice");
        return static_cast<int>(number);
    }
    int try_receive() {
        typename Ring::Claim claim;
        const Outcome outcome = ring.begin_receive(claim);
        return finish_receive(claim, outcome);
    }
    int receive(std::int64_t deadline = Ring::kForEver) {
        typename Ring::Claim claim;
        const Outcome outcome = ring.wait_to_receive(claim, deadline);
        model::require(outcome != Outcome::not_yet || deadline != Ring::kForEver, "a receive came back with nothing");
        return finish_receive(claim, outcome);
    }
    void drain() {
        while (try_receive() != kNobody) {
        }
        for (std::size_t i = 0; i < sent.size(); ++i) {
            model::require(received[i] == sent[i], "a value was lost, or came from nowhere");
        }
        model::require(ring.size_hint() == 0, "an empty channel does not look it");
    }
};
using Plain = State<Value<false>>;
using Throwing = State<Value<true>>;

template <class S>
void drain_after(const std::shared_ptr<S>& state) {
    model::after([state] { state->drain(); });
}

// Two senders put two values each into a channel of that capacity, and no more than fit go in.
inline void fill(std::size_t capacity) {
    auto state = std::make_shared<Plain>(capacity);
    for (std::size_t first : {0U, 2U}) {
        model::thread([=] {
            state->try_send(first);
            state->try_send(first + 1);
        });
    }
    model::after([=] {
        int taken = 0;
        for (const int each : state->sent) taken += each;
        model::require(taken == static_cast<int>(capacity), "a channel took more or less than its capacity");
    });
    drain_after(state);
}

// The slots go round, without waiting.
inline void laps(std::size_t capacity, std::uint64_t first_lap) {
    auto state = std::make_shared<Plain>(capacity, first_lap);
    state->try_send(0);
    model::thread([=] {
        for (std::size_t i = 1; i < 4; ++i) state->try_send(i);
    });
    model::thread([=] {
        int last = kNobody;
        for (int i = 0; i < 3; ++i) {
            const int number = state->try_receive();
            model::require(number == kNobody || number > last, "values of one sender came out of order");
            last = number == kNobody ? last : number;
        }
    });
    drain_after(state);
}

inline void two_try_receivers() {
    auto state = std::make_shared<Plain>(2);
    state->try_send(0);
    state->try_send(1);
    model::thread([=] { state->try_receive(); });
    model::thread([=] { state->try_receive(); });
    drain_after(state);
}

// Both wait for each other: for room, and for a value.
inline void one_slot(int values) {
    auto state = std::make_shared<Plain>(1);
    model::thread([=] {
        for (int i = 0; i < values; ++i) state->send(static_cast<std::size_t>(i));
    });
    model::thread([=] {
        for (int i = 0; i < values; ++i) model::require(state->receive() == i, "values came out of order");
    });
    drain_after(state);
}

// One wake-up must become two: the second value comes while the first receiver is being woken.
inline void two_receivers() {
    auto state = std::make_shared<Plain>(2);
    model::thread([=] {
        state->send(0);
        state->send(1);
    });
    model::thread([=] { state->receive(); });
    model::thread([=] { state->receive(); });
    drain_after(state);
}

inline void two_senders() {
    auto state = std::make_shared<Plain>(1);
    model::thread([=] { state->send(0); });
    model::thread([=] { state->send(1); });
    model::thread([=] {
        state->receive();
        state->receive();
    });
    drain_after(state);
}

// One waits for no longer than it must; it hands on what it got all the same. The other one must not miss it.
inline void timed_out_receiver() {
    auto state = std::make_shared<Plain>(1);
    model::thread([=] { state->send(0); });
    model::thread([=] {
        const int number = state->receive(kSoon);
        if (number == kNobody) return;
        --state->received[0];
        --state->sent[0];
        state->send(0);
    });
    model::thread([=] { state->receive(); });
    drain_after(state);
}

// What was sent is received, and then the receiver is told.
inline void close_against_send() {
    auto state = std::make_shared<Plain>(1);
    model::thread([=] {
        state->send(0);
        state->try_send(1);
    });
    model::thread([=] { state->ring.close(); });
    model::thread([=] {
        while (state->receive() != kNobody) {
        }
        model::require(state->ring.is_closed(), "told of a close that has not happened");
        // Nothing may come any more: the sender has its answer, or gets "closed".
        model::require(state->try_receive() == kNobody, "a value came after the end");
    });
    drain_after(state);
}

inline void close_against_waiting_receivers() {
    auto state = std::make_shared<Plain>(1);
    model::thread([=] { state->ring.close(); });
    model::thread([=] { model::require(state->receive() == kNobody, "a value from nowhere"); });
    model::thread([=] { model::require(state->receive() == kNobody, "a value from nowhere"); });
    drain_after(state);
}

// What was done before a close is seen by a receiver that is told the end, and by who asks.
inline void close_carries_data() {
    struct Told : Plain {
        using Plain::Plain;
        model::ModelPlain<int> news{0};
    };
    auto state = std::make_shared<Told>(1);
    model::thread([=] {
        state->news.set(7);
        state->ring.close();
    });
    model::thread([=] {
        if (state->receive() == kNobody) model::require(state->news.get() == 7, "an end came before its news");
    });
    model::thread([=] {
        if (state->ring.is_closed()) model::require(state->news.get() == 7, "a close came before its news");
    });
}

inline void close_against_waiting_senders() {
    auto state = std::make_shared<Plain>(1);
    state->try_send(0);
    model::thread([=] { state->ring.close(); });
    for (std::size_t number : {1U, 2U}) {
        model::thread(
            [=] { model::require(state->send(number) == Plain::Outcome::closed, "sent into a full channel"); });
    }
    drain_after(state);
}

// Receivers that sleep after the close, because a send is under way: one gets the value, the other one the end.
inline void close_while_a_send_is_under_way() {
    auto state = std::make_shared<Plain>(2);
    model::thread([=] {
        state->send(0);
        state->ring.close();
    });
    model::thread([=] {
        state->ring.close();
        state->receive();
    });
    model::thread([=] { state->receive(); });
    drain_after(state);
}

// A send that fails leaves no trace, and leaves nobody asleep who took it for under way.
inline void failing_send_and_close() {
    auto state = std::make_shared<Throwing>(1);
    model::thread([=] { state->send(1, true); });
    model::thread([=] {
        state->ring.close();
        model::require(state->receive() == kNobody, "a value from nowhere");
    });
    drain_after(state);
}

// The waiting sender may have marked the slot behind the one that is given back.
inline void failing_send_and_sender() {
    auto state = std::make_shared<Throwing>(1);
    state->try_send(0);
    model::thread([=] { state->send(2); });
    model::thread([=] {
        state->receive();
        state->try_send(1, true);
    });
    drain_after(state);
}

inline void values_that_throw() {
    auto state = std::make_shared<Throwing>(1);
    model::thread([=] {
        state->send(0);
        state->send(1);
    });
    model::thread([=] {
        state->receive();
        state->receive();
    });
    drain_after(state);
}

}  // namespace channel_models
