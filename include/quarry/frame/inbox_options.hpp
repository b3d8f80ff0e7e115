#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>

#include "quarry/frame/host_guard.hpp"
#include "quarry/frame/virtual_clock.hpp"

namespace quarry {

// How an Inbox is made.
struct InboxOptions {
    std::size_t slots = 1024;           // results that are being made or wait; 1 to 1,048,576
    double age_bonus = 0.05;            // added to an item's importance for each delivery it has waited; 0 or more
    std::uint64_t overdue_after = 256;  // so many deliveries later an item goes before all others; 1 or more
    // On the host's thread, inside deliver: a job threw instead of returning a result. Empty: deliver throws that
    // error.
    std::function<void(std::exception_ptr)> on_error = {};
    // On the thread that puts, when something can be delivered and nothing could before: for a host that sleeps in an
    // event loop of its own. Must be quick and not throw. May still be called after the inbox is gone, by a job that
    // ran then: it should hold what it needs.
    std::function<void()> on_arrival = {};
    std::optional<HostGuard> host = {};   // whose thread delivers; empty: the one that makes the inbox
    const VirtualClock* clock = nullptr;  // for tests and replays: counts in place of the steady clock
};

}  // namespace quarry
