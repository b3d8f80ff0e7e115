#pragma once

#include <atomic>
#include <cstdint>

#include "quarry/export.hpp"

// The part of a worker that inlined code touches: the private list of join and loop frames.
//
// Frames live on the worker's stack, oldest first, linked through `next`. Nobody but the owner reads them, so the
// list needs no synchronisation. When another worker is hungry the owner itself promotes the oldest frame: it puts a
// job that others can claim into its deque. `boundary` is the newest frame that has been promoted, so the frames
// after it are still private:
//
//     root -> ... promoted ... -> boundary -> private -> private -> newest
namespace quarry::impl {

struct WorkerContext;
class PoolCore;

struct Frame {
    // What became of asking a frame for work: it had none to give; it never has any, look at the next one; it offered
    // some and has more; it offered all it had.
    enum class Offer { nothing, passed, offered_some, offered_all };
    using Promote = Offer (*)(WorkerContext&, Frame&);

    Frame* next;
    Promote promote;
};

struct WorkerContext {
    Frame* newest;
    Frame* boundary;
    // The pool's packed counters; kAppetite or more: an idle worker has a core to spare for us.
    const std::atomic<std::int64_t>* hunger;
    PoolCore& core;

    // In the upper half of the word, at a place that makes the comparison one short instruction.
    static constexpr std::int64_t kAppetite = std::int64_t{1} << 31;

    bool someone_is_hungry() const noexcept { return hunger->load(std::memory_order_relaxed) > kAppetite - 1; }
};

// The worker that runs on this thread, or null. Constant-initialised and initial-exec: one or two instructions.
extern QUARRY_API constinit thread_local WorkerContext* current_context __attribute__((tls_model("initial-exec")));

// Promotes the oldest private frame if somebody can take it.
QUARRY_API void offer_work(WorkerContext& context) noexcept;
// Somebody is hungry: offers, unless it is too soon to look again. Not inline, so that what is inlined stays short.
QUARRY_API void poll_hungry(WorkerContext& context) noexcept;

inline void poll(WorkerContext& context) noexcept {
    if (context.someone_is_hungry()) [[unlikely]]
        poll_hungry(context);
}

}  // namespace quarry::impl
