#pragma once

#include <algorithm>
#include <cstdint>

#include "quarry/export.hpp"
#include "quarry/jobs/impl/context.hpp"
#include "quarry/jobs/impl/job.hpp"
#include "quarry/jobs/impl/join_frame.hpp"
#include "quarry/jobs/impl/ticks.hpp"

// How loops are split on demand; parallel_for.hpp has the public names.
//
// A worker runs its range front to back in chunks of about two microseconds, and looks after each one whether
// somebody is hungry. If so, and if what is left is worth it, the upper half becomes a job for others. The frame is on
// the worker's private list, so a join or loop inside the body can hand over the outer range as well.
namespace quarry::impl {

struct Group;

// One loop, on the stack of the thread that called it.
struct Loop {
    using RunPiece = void (*)(WorkerContext&, Loop&, std::uint64_t first, std::uint64_t last);

    RunPiece run_piece;
    const void* body;
    const char* name;        // in traces; may be null
    Group* group = nullptr;  // made when the first piece is offered
};

// One piece of a loop that a worker is running. [first, last) is what it has not started yet.
struct LoopFrame : Frame {
    Loop& loop;
    WorkerContext& context;
    Frame* const previous;
    std::uint64_t first;
    std::uint64_t last;
    std::uint64_t started;  // ticks

    QUARRY_API static Offer promote_loop(WorkerContext& context, Frame& frame) noexcept;
    // A loop runs for a while before it hands over anything, and for longer before it wakes anyone.
    bool has_run_long_enough(std::uint64_t now) const noexcept;

    LoopFrame(WorkerContext& worker, Loop& of, std::uint64_t begin, std::uint64_t end, std::uint64_t now) noexcept
        : loop(of), context(worker), previous(worker.newest), first(begin), last(end), started(now) {
        promote = &promote_loop;
        previous->next = this;
// GCC does not see that the destructor takes the address back.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdangling-pointer"
#endif
        worker.newest = this;
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
    }
    LoopFrame(const LoopFrame&) = delete;
    LoopFrame& operator=(const LoopFrame&) = delete;
    ~LoopFrame() {
        context.newest = previous;
        if (context.boundary == this) context.boundary = previous;
    }
};

// Waits for the pieces that others took; rethrows the first error.
QUARRY_API void finish_loop(WorkerContext& context, Loop& loop);
// The body threw on the loop's own thread, called from the handler: nothing more is started. False: no piece was ever
// offered, so the exception can simply go on.
QUARRY_API bool loop_failed(Loop& loop) noexcept;
QUARRY_API bool loop_stopped(const Loop& loop) noexcept;
// Somebody is hungry: offers the rest if it is worth it. The last `elements` took `taken` ticks.
QUARRY_API void offer_rest_of_loop(LoopFrame& frame, std::uint64_t now, std::uint64_t taken,
                                   std::uint64_t elements) noexcept;

// Chunks are sized by time: long enough that looking around costs nothing, short enough to answer soon.
inline std::uint64_t next_chunk(std::uint64_t chunk, std::uint64_t taken, std::uint64_t target) noexcept {
    // A body may take a range at no cost at all; sixteen times this is still a number.
    constexpr std::uint64_t kMostElements = std::uint64_t{1} << 59;
    if (taken * 16 < target) return std::min(chunk * 16, kMostElements);
    if (taken * 4 < target) return std::min(chunk * 4, kMostElements);
    if (taken * 2 < target) return std::min(chunk * 2, kMostElements);
    if (taken > target * 2 && chunk > 1) return chunk / 2;
    return chunk;
}

// Runs up to `chunk` elements; a large chunk ends early when somebody is hungry, in case the bodies have become slow.
template <class Body>
std::uint64_t run_chunk(WorkerContext& context, LoopFrame& frame, std::uint64_t chunk, const Body& body) {
    constexpr std::uint64_t kLargeChunk = 512;
    const std::uint64_t stride = chunk > kLargeChunk ? chunk / 8 : chunk;
    std::uint64_t done = 0;
    do {
        const std::uint64_t begin = frame.first;
        const std::uint64_t count = std::min(stride, frame.last - begin);
        frame.first = begin + count;
        body(begin, begin + count);
        done += count;
    } while (done < chunk && frame.first < frame.last && !context.someone_is_hungry());
    return done;
}

template <class Body>
void run_loop_piece(WorkerContext& context, Loop& loop, std::uint64_t first, std::uint64_t last) {
    const Body& body = *static_cast<const Body*>(loop.body);
    const std::uint64_t target = chunk_ticks();
    std::uint64_t before = ticks();
    std::uint64_t chunk = 1;
    LoopFrame frame(context, loop, first, last, before);
    while (frame.first < frame.last) {
        const std::uint64_t count = run_chunk(context, frame, chunk, body);
        if (frame.first >= frame.last) return;  // no need to look at the clock
        const std::uint64_t now = ticks();
        const std::uint64_t taken = now - before;
        before = now;
        // A loop shorter than a chunk is over before a thief gets to it: it touches nothing of the library.
        if (now - frame.started >= target && context.someone_is_hungry()) [[unlikely]]
            offer_rest_of_loop(frame, now, taken, count);
        if (loop.group != nullptr && loop_stopped(loop)) [[unlikely]]
            return;
        chunk = next_chunk(chunk, taken, target);
    }
}

// The calling thread's place in a pool, for a loop.
class LoopEntry : public JoinEntry {
  public:
    QUARRY_API explicit LoopEntry(Pool& pool);
    LoopEntry(const LoopEntry&) = delete;
    LoopEntry& operator=(const LoopEntry&) = delete;
    QUARRY_API ~LoopEntry();

  private:
    std::uint64_t outer_floor_;
};

template <class Body>
void run_loop(Pool& pool, std::uint64_t count, const Body& body, const char* name = nullptr) {
    const LoopEntry entry(pool);
    Loop loop{&run_loop_piece<Body>, &body, name};
    try {
        run_loop_piece<Body>(entry.context(), loop, 0, count);
    } catch (...) {
        if (!loop_failed(loop)) throw;
    }
    if (loop.group != nullptr) [[unlikely]]
        finish_loop(entry.context(), loop);
}

}  // namespace quarry::impl
