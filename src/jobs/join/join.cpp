#include "quarry/jobs/join.hpp"

#include <utility>

#include "jobs/completion/settle.hpp"
#include "jobs/os/os.hpp"
#include "jobs/pool/pool_core.hpp"
#include "jobs/trace/label.hpp"
#include "jobs/worker/worker.hpp"

namespace quarry::impl {

JoinFrameBase& join_frame_of(Job& job) noexcept {
    return **std::launder(reinterpret_cast<JoinFrameBase**>(static_cast<Node&>(job).closure));
}

namespace {

// Whether those who are hungry could take something from us, and the last offer is not there any more.
bool may_offer(Worker& worker) noexcept {
    const std::int64_t hunger = worker.hunger->load(std::memory_order_relaxed);
    if (!Sleep<DefaultAtomics>::wants_work(hunger, worker.patience.futile_word())) return false;
    if (worker.deque().size_hint() == 0) return true;
    worker.patience.offer_stands();
    worker.hurry_searchers();
    return false;
}

void promote_oldest(Worker& worker) noexcept {
    while (worker.boundary != worker.newest) {
        Frame& oldest = *worker.boundary->next;
        const Frame::Offer offer = oldest.promote(worker, oldest);
        if (offer == Frame::Offer::passed || offer == Frame::Offer::offered_all) worker.boundary = &oldest;
        if (offer != Frame::Offer::passed) return;
    }
}

}  // namespace

void poll_hungry(WorkerContext& context) noexcept {
    auto& worker = static_cast<Worker&>(context);
    if (worker.patience.lets_pass(worker.core.crews.hungry_sleeps(), context.hunger->load(std::memory_order_relaxed)))
        return;
    offer_work(context);
}

void offer_work(WorkerContext& context) noexcept {
    auto& worker = static_cast<Worker&>(context);
    worker.patience.look(worker.core.crews.hungry_sleeps());
    const bool rested = worker.guest && worker.count_as_computing();
    const bool offers = may_offer(worker);
    if (!offers && !rested) return;
    if (worker.kept != nullptr) {
        Frame& oldest = *std::exchange(worker.kept, nullptr);
        if (oldest.promote(worker, oldest) == Frame::Offer::nothing) worker.kept = &oldest;
        return;
    }
    // A guest that rested in the body of its scope, and has nothing to offer now, only keeps its outermost join in
    // view: at the end of that it rests again.
    worker.keeps_only = !offers;
    promote_oldest(worker);
    worker.keeps_only = false;
    if (rested) worker.rest_if_in_scope_body();  // there is no join
}

Frame::Offer promote_join(WorkerContext& context, JoinFrameBase& frame, Job::Operate operate) noexcept {
    auto& worker = static_cast<Worker&>(context);
    if (worker.keeps_only) {
        frame.job = nullptr;
        worker.kept = &frame;
        return Frame::Offer::offered_all;
    }
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
    if (frame.job == nullptr) {  // kept, and never offered
        worker.kept = nullptr;
        worker.rest_if_in_scope_body();
        return SecondClosure::taken_back;
    }
    auto& node = static_cast<Node&>(*frame.job);
    worker.lose_patience();
    const auto take_out = [&] {
        worker.counters.taken_back.add();
        (wanted ? worker.counters.completed : worker.counters.cancelled).add();
        worker.forget_promoted(node);
    };
    const bool mine = settle_promoted(
        node, take_out, [&] { worker.wait_for_latch(node); }, release);
    worker.rest_if_in_scope_body();
    return mine ? SecondClosure::taken_back : SecondClosure::finished_elsewhere;
}

JoinEntry::JoinEntry(Pool& pool) : JoinEntry(pool.core(), GuestComputes::at_once) {}

JoinEntry::JoinEntry(PoolCore& core, GuestComputes computes) {
    Worker* const current = Worker::current();
    guest_ = current == nullptr || &current->core != &core;
    context_ = guest_ ? &core.enter(computes) : current;
}

JoinEntry::~JoinEntry() {
    if (!guest_) return;
    // A fork has taken the context away: in the child the seat, and what is in its queues, is the parent's.
    if (current_context != context_) [[unlikely]]
        return;
    auto& guest = static_cast<Worker&>(*context_);
    Worker* const outer = guest.outer_worker;  // before the next guest has its seat
    guest.core.leave(guest);
    current_context = outer;
}

}  // namespace quarry::impl
