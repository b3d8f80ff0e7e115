#include "quarry/jobs/impl/loop.hpp"

#include <algorithm>

#include "jobs/group.hpp"
#include "jobs/os.hpp"
#include "jobs/pool_core.hpp"
#include "jobs/worker.hpp"

namespace quarry::impl {

std::uint64_t loop_chunk_ticks = 1000;

namespace {

// What handing over a piece must at least save to be worth it: a steal by a worker that is awake costs well under a
// microsecond, waking a sleeper some ten.
constexpr std::uint64_t kWorthStealing = 2;
constexpr std::uint64_t kWorthWaking = 10;

struct Piece {
    Loop* loop;
    std::uint64_t first;
    std::uint64_t last;
};

void operate_piece(Job& job, Job::Operation operation) {
    if (operation != Job::Operation::run) return;
    const Piece piece = PayloadIn<Piece>::get(job);
    try {
        piece.loop->run_piece(*current_context, *piece.loop, piece.first, piece.last);
    } catch (...) {
        loop_failed(*piece.loop);
        Worker::current()->job_threw = true;
    }
}

// The group is made by the loop's own thread when it offers the first piece; no other thread has one to offer before.
Group& group_of(Loop& loop, Worker& worker) {
    if (loop.group == nullptr) {
        loop.group = &Group::create(worker, nullptr);
        loop.group->node().descend_from(worker.boundary_lineage);
    }
    return *loop.group;
}

void queue_piece(Group& group, Worker& worker, Node& node) {
    if (group.owner == &worker) {
        group.completion.spawned_by_owner();
    } else {
        group.completion.spawned_elsewhere();
    }
    worker.push(node);
    worker.counters.promoted.add();
    worker.core.job_offered(worker, node);
}

}  // namespace

// Reached from offer_work, when this is the oldest frame with something to give. The current element is being run and
// not among [first, last), so even a single one can be handed over.
Frame::Offer LoopFrame::promote_loop(WorkerContext& context, Frame& frame) noexcept {
    auto& worker = static_cast<Worker&>(context);
    auto& piece = static_cast<LoopFrame&>(frame);
    if (piece.first == piece.last) return Offer::passed;
    if (!piece.worth_waking_for(os::ticks()) &&
        Sleep<DefaultAtomics>::searching(context.hunger->load(std::memory_order_relaxed)) == 0) {
        return Offer::nothing;
    }
    try {
        worker.deque.reserve(1);
        Group& group = group_of(piece.loop, worker);
        Node& node = *worker.nodes.take();
        const std::uint64_t middle = piece.first + (piece.last - piece.first) / 2;
        PayloadIn<Piece>::emplace(node, Piece{&piece.loop, middle, piece.last});
        node.operate = &operate_piece;
        node.group = &group;
        node.claim.prepare(1, false, false);
        node.descend_from(&group.node());
        piece.last = middle;
        queue_piece(group, worker, node);
        return Offer::offered_some;
    } catch (const std::bad_alloc&) {
        return Offer::nothing;
    }
}

bool LoopFrame::worth_waking_for(std::uint64_t now) const noexcept {
    return now - started >= kWorthWaking * os::ticks_per_microsecond();
}

void offer_rest_of_loop(LoopFrame& frame, std::uint64_t now) noexcept {
    const std::int64_t word = frame.context.hunger->load(std::memory_order_relaxed);
    const bool awake = Sleep<DefaultAtomics>::searching(word) > 0;
    if (!awake && !frame.worth_waking_for(now)) return;
    const std::uint64_t worth = (awake ? kWorthStealing : kWorthWaking) * os::ticks_per_microsecond();
    // In sixteenths of ticks; the product can not overflow in less than a year of work.
    if ((frame.last - frame.first) * frame.ticks_per_element < worth * 16) return;
    offer_work(frame.context);
}

LoopEntry::LoopEntry(Pool& pool) : JoinEntry(pool) {
    auto& worker = static_cast<Worker&>(context());
    outer_floor_ = worker.floor;
    worker.floor = worker.deque.bottom();
}

LoopEntry::~LoopEntry() {
    auto& worker = static_cast<Worker&>(context());
    worker.floor = std::min(worker.floor, outer_floor_);
}

bool loop_failed(Loop& loop) noexcept {
    if (loop.group == nullptr) return false;
    loop.group->job_failed(0);
    loop.group->stopped.store(true, std::memory_order_relaxed);
    return true;
}

bool loop_stopped(const Loop& loop) noexcept {
    return loop.group->stopped.load(std::memory_order_relaxed);
}

void finish_loop(WorkerContext& context, Loop& loop) {
    auto& worker = static_cast<Worker&>(context);
    worker.wait_for(*loop.group);
    const std::exception_ptr error = std::move(loop.group->first_error);
    Group::destroy(*loop.group);
    if (error) std::rethrow_exception(error);
}

}  // namespace quarry::impl
