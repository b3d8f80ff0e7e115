#include "quarry/jobs/impl/loop.hpp"

#include <algorithm>
#include <atomic>

#include "jobs/os/os.hpp"
#include "jobs/pool/pool_core.hpp"
#include "jobs/scope/group.hpp"
#include "jobs/worker/worker.hpp"

namespace quarry::impl {

constinit std::atomic<std::uint64_t> loop_chunk_ticks{1000};

namespace {

// How long a loop has run, and what its rest must cost, before handing over a piece pays, in ticks: a steal by a worker
// that is awake costs well under a microsecond, waking a sleeper some ten.
std::uint64_t worth(bool somebody_is_awake) noexcept {
    constexpr std::uint64_t kStealingMicroseconds = 2;
    constexpr std::uint64_t kWakingMicroseconds = 10;
    return (somebody_is_awake ? kStealingMicroseconds : kWakingMicroseconds) * os::ticks_per_microsecond();
}

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
        Worker::current()->job_end = JobEnd::failed;
    }
}

// The group is made by the loop's own thread when it offers the first piece; no other thread has one to offer before.
Group& group_of(Loop& loop, Worker& worker) {
    if (loop.group == nullptr) {
        loop.group = &Group::create(worker, nullptr, loop.name);
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
    if (worker.keeps_only || !piece.has_run_long_enough(os::ticks())) return Offer::nothing;
    try {
        worker.deque().reserve(1);
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

// What the first elements seem to cost is mostly the clock, and a short loop is over before a thief gets to it.
bool LoopFrame::has_run_long_enough(std::uint64_t now) const noexcept {
    const std::int64_t word = context.hunger->load(std::memory_order_relaxed);
    return now - started >= worth(Sleep<DefaultAtomics>::searching(word) > 0);
}

void offer_rest_of_loop(LoopFrame& frame, std::uint64_t now, std::uint64_t taken, std::uint64_t elements) noexcept {
    if (!frame.has_run_long_enough(now)) return;
    const std::int64_t word = frame.context.hunger->load(std::memory_order_relaxed);
    const auto rest =
        static_cast<double>(frame.last - frame.first) * static_cast<double>(taken) / static_cast<double>(elements);
    if (rest < static_cast<double>(worth(Sleep<DefaultAtomics>::searching(word) > 0))) return;
    offer_work(frame.context);
}

LoopEntry::LoopEntry(Pool& pool) : JoinEntry(pool) {
    auto& worker = static_cast<Worker&>(context());
    outer_floor_ = worker.floor;
    // A guest has just come, and its deque is empty: no need to look at it.
    worker.floor = is_guest() ? 0 : worker.deque().bottom();
}

LoopEntry::~LoopEntry() {
    auto& worker = static_cast<Worker&>(context());
    worker.floor = std::min(worker.floor, outer_floor_);
    worker.rest_if_in_scope_body();
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
    worker.wait_for_group(*loop.group);
    const std::exception_ptr error = std::move(loop.group->first_error);
    Group::destroy(*loop.group);
    if (error) std::rethrow_exception(error);
}

}  // namespace quarry::impl
