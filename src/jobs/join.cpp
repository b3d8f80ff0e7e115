#include "quarry/jobs/join.hpp"

#include "jobs/completion/settle.hpp"
#include "jobs/pool_core.hpp"
#include "jobs/trace/label.hpp"
#include "jobs/worker.hpp"

namespace quarry::impl {

JoinFrameBase& join_frame_of(Job& job) noexcept {
    return **std::launder(reinterpret_cast<JoinFrameBase**>(static_cast<Node&>(job).closure));
}

void offer_work(WorkerContext& context) noexcept {
    auto& worker = static_cast<Worker&>(context);
    context.patience = worker.patience_between_offers.next();
    const std::int64_t hunger = context.hunger->load(std::memory_order_relaxed);
    if (!Sleep<DefaultAtomics>::wants_work(hunger, worker.futile_word)) return;
    if (worker.deque().size_hint() != 0) {
        worker.hurry_searchers();  // what was offered last is still there
        return;
    }
    while (context.boundary != context.newest) {
        Frame& oldest = *context.boundary->next;
        const Frame::Offer offer = oldest.promote(context, oldest);
        if (offer == Frame::Offer::passed || offer == Frame::Offer::offered_all) context.boundary = &oldest;
        if (offer != Frame::Offer::passed) return;
    }
}

Frame::Offer promote_join(WorkerContext& context, JoinFrameBase& frame, Job::Operate operate) noexcept {
    auto& worker = static_cast<Worker&>(context);
    try {
        worker.deque().reserve(1);
        Node& node = *worker.nodes.take();
        ::new (static_cast<void*>(node.closure)) JoinFrameBase*(&frame);
        node.operate = operate;
        node.group = nullptr;
        ::new (static_cast<void*>(&node.latch)) Latch<DefaultAtomics>;
        prepare_promoted(node);
        node.descend_from(worker.boundary_lineage);
        mark_as_join(node);
        frame.job = &node;
        worker.push(node);
        worker.counters.promoted.add();
        worker.core.job_offered(worker, node);
        return Frame::Offer::offered_all;
    } catch (const std::bad_alloc&) {
        return Frame::Offer::nothing;  // it stays private: the owner runs it
    }
}

void join_closure_failed() noexcept {
    Worker::current()->job_end = JobEnd::failed;
}

SecondClosure settle_join(WorkerContext& context, JoinFrameBase& frame, bool wanted) noexcept {
    auto& worker = static_cast<Worker&>(context);
    auto& node = static_cast<Node&>(*frame.job);
    worker.lose_patience();
    const auto take_out = [&] {
        worker.counters.taken_back.add();
        (wanted ? worker.counters.completed : worker.counters.cancelled).add();
        worker.forget_promoted(node);
    };
    const bool mine = settle_promoted(
        node, take_out, [&] { worker.wait_for_latch(node); }, release);
    return mine ? SecondClosure::taken_back : SecondClosure::finished_elsewhere;
}

JoinEntry::JoinEntry(Pool& pool) : JoinEntry(pool.core()) {}

JoinEntry::JoinEntry(PoolCore& core) {
    Worker* const current = Worker::current();
    guest_ = current == nullptr || &current->core != &core;
    context_ = guest_ ? &core.enter() : current;
}

JoinEntry::~JoinEntry() {
    if (!guest_) return;
    // A fork has taken the context away: in the child the place, and what is in its queues, is the parent's.
    if (current_context != context_) [[unlikely]]
        return;
    auto& guest = static_cast<Worker&>(*context_);
    Worker* const outer = guest.outer_worker;  // before the next guest has its place
    guest.core.leave(guest);
    current_context = outer;
}

}  // namespace quarry::impl
