#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/impl/atomics.hpp"
#include "quarry/jobs/impl/blocking.hpp"
#include "quarry/jobs/impl/channel_ring.hpp"
#include "quarry/jobs/impl/channel_spin.hpp"

namespace quarry {

enum class SendStatus {
    sent,    // the channel has the value; it is received exactly once, also when the channel is closed
    full,    // the value stays with the caller
    closed,  // the value stays with the caller
};

enum class ReceiveStatus {
    received,
    timed_out,
    closed,  // and no value is left
};

// What receive_for answers: a std::optional that also says why it is empty.
template <class T>
class ReceiveResult : public std::optional<T> {
  public:
    // Empty, with the reason; or a value.
    explicit ReceiveResult(ReceiveStatus status) : status_(status) {}
    ReceiveResult(std::in_place_t, T&& value) : std::optional<T>(std::in_place, std::move(value)) {}

    // Whether there is a value, and if not, why.
    ReceiveStatus status() const noexcept { return status_; }

  private:
    ReceiveStatus status_ = ReceiveStatus::received;
};

// A bounded queue that carries values between threads: any number of senders, any number of receivers, first in, first
// out. Nothing allocates after construction.
//
// T needs a move constructor and a destructor that does not throw. If its move constructor may throw then the senders
// move their values one after the other, and so do the receivers (the try_ verbs, too, wait for that); an exception
// reaches the caller, and the value stays where it was: with the sender, or in the channel at the head of the line.
//
// The verbs that may block (send, receive, receive_for) throw quarry::Error inside a job that must not block, whether
// they would have to wait or not.
//
// Destroying a channel destroys the values in it. As with any object, no thread may be within one of its verbs then; to
// have received the last value does not tell that its sender has left.
template <class T>
class Channel {
    static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T>,
                  "a channel carries values, not references or constants");
    static_assert(std::is_move_constructible_v<T>, "a channel moves its values");
    static_assert(std::is_nothrow_destructible_v<T>, "a value whose destructor throws cannot be in a channel");
    using Ring = impl::ChannelRing<impl::PlainAtomics, T, impl::ChannelSpin>;
    using Outcome = typename Ring::Outcome;

  public:
    // Largest capacity.
    static constexpr std::size_t kMostCapacity = Ring::kMostCapacity;

    // Holds exactly `capacity` values, 1 to kMostCapacity; otherwise std::invalid_argument.
    explicit Channel(std::size_t capacity) : ring_(checked(capacity)) {}

    // Never waits. May answer `full` while a receive that began before has not ended.
    [[nodiscard]] SendStatus try_send(T&& value) {
        typename Ring::Claim claim;
        const Outcome outcome = ring_.begin_send(claim);
        if (outcome == Outcome::not_yet) return SendStatus::full;
        return finish_send(outcome, claim, value);
    }

    // Waits while the channel is full. Answers `sent` or `closed`.
    SendStatus send(T&& value) {
        impl::require_may_block("Channel::send");
        typename Ring::Claim claim;
        const Outcome outcome = ring_.wait_to_send(claim);
        return finish_send(outcome, claim, value);
    }
    // Sends a copy, which is made before it waits.
    SendStatus send(const T& value) requires std::copy_constructible<T> { return send(T(value)); }

    // Never waits. May answer nothing while a send that began before has not ended.
    [[nodiscard]] std::optional<T> try_receive() {
        typename Ring::Claim claim;
        if (ring_.begin_receive(claim) != Outcome::done) return std::nullopt;
        return ring_.template finish_receive<std::optional<T>>(claim);
    }

    // Waits while the channel is empty. Answers nothing when it is closed and all that was sent has been received.
    [[nodiscard]] std::optional<T> receive() {
        impl::require_may_block("Channel::receive");
        typename Ring::Claim claim;
        if (ring_.wait_to_receive(claim, Ring::kForEver) != Outcome::done) return std::nullopt;
        return ring_.template finish_receive<std::optional<T>>(claim);
    }

    // Waits for a value for no longer than `duration`. A duration of zero, or less, does not wait.
    template <class Rep, class Period>
    [[nodiscard]] ReceiveResult<T> receive_for(const std::chrono::duration<Rep, Period>& duration) {
        impl::require_may_block("Channel::receive_for");
        typename Ring::Claim claim;
        switch (ring_.wait_to_receive(claim, deadline_after(duration))) {
            case Outcome::done:
                return ring_.template finish_receive<ReceiveResult<T>>(claim);
            case Outcome::not_yet:
                return ReceiveResult<T>(ReceiveStatus::timed_out);
            case Outcome::closed:
                break;
        }
        return ReceiveResult<T>(ReceiveStatus::closed);
    }

    // From now on nothing can be sent. What was sent can still be received; all who wait for room, and those who wait
    // for a value that will not come, are woken. Any thread, any number of times.
    void close() noexcept { ring_.close(); }

    // Whether close() was called, and how many values there is room for.
    bool closed() const noexcept { return ring_.is_closed(); }
    std::size_t capacity() const noexcept { return ring_.capacity(); }
    // How many values are in the channel; right when nobody sends or receives.
    std::size_t size_hint() const noexcept { return ring_.size_hint(); }

  private:
    static std::size_t checked(std::size_t capacity) {
        if (capacity >= 1 && capacity <= kMostCapacity) return capacity;
        throw std::invalid_argument("Channel: capacity must be 1 to " + std::to_string(kMostCapacity) + ", not " +
                                    std::to_string(capacity));
    }

    SendStatus finish_send(Outcome outcome, typename Ring::Claim& claim, T& value) {
        if (outcome == Outcome::closed) return SendStatus::closed;
        ring_.finish_send(claim, value);
        return SendStatus::sent;
    }

    // In nanoseconds of the steady clock; what lies beyond its end is for ever.
    template <class Rep, class Period>
    static std::int64_t deadline_after(const std::chrono::duration<Rep, Period>& duration) {
        if (!(duration > duration.zero())) return Ring::kNever;
        const std::int64_t now = std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
        const auto wanted = std::chrono::duration<long double, std::nano>(duration).count();
        const auto most = static_cast<long double>(Ring::kForEver - now);
        return wanted < most ? now + static_cast<std::int64_t>(wanted) : Ring::kForEver;
    }

    Ring ring_;
};

}  // namespace quarry
