#include "jobs/gate/slot_gate.hpp"

#include <algorithm>

#include "jobs/pool/pool_core.hpp"
#include "jobs/task/life.hpp"
#include "jobs/worker/worker.hpp"

namespace quarry::impl {

// The pool of a job that has not ended exists until the visit is over, even if somebody cancels the job meanwhile.
bool GatedJobs::must_go(Node& node) const noexcept {
    if (gate.is_closed()) return true;
    const TaskVisit visit(node);
    return !visit || visit.core().ledger.drain.is_stopping();
}

void GatedJobs::give_up(Node& node) const noexcept {
    {
        const TaskVisit visit(node);
        if (visit && node.claim.try_claim_even_if_unarmed()) end_cancelled(visit.core(), node);
    }
    forget(node);
}

bool GatedJobs::grant(Node& node, std::uint32_t slot) const noexcept {
    {
        const TaskVisit visit(node);
        gate_link(node).slot = slot;
        std::uint32_t level = 0;
        if (visit && node.claim.try_arm_with_slot(level)) {
            // From here on the job may run at any moment: a raise may have left it another entry.
            // Never into the calling worker's own queues: it may be past them in its search, and would not look again.
            const Lane lane = task_front(node).lane;
            Injection& injection = visit.core().lanes[lane];
            injection.room_before_slot().make(1);
            injection.take_room_beyond();
            injection.push(node, static_cast<Priority>(level));
            visit.core().job_queued(visit.core().own_worker(), lane, node);
            return true;
        }
    }
    forget(node);
    return false;
}

// The job was cancelled while it waited: whoever brought it here answers for its reference to the gate. That is never
// the last one: whoever attends has one too.
void GatedJobs::forget(Node& node) const noexcept {
    {
        const TaskVisit visit(node);
        if (visit) visit.core().lanes[task_front(node).lane].room_before_slot().make(1);
    }
    release(&node);
    gate.release();
}

void SlotGate::enrol(PoolCore& core) {
    if (last_enrolled_.load(std::memory_order_relaxed) == core.serial) return;
    core.require_usable();
    const std::lock_guard lock(homes_mutex_);
    const Home home{&core.task_home, core.task_home.serial()};
    const bool known = std::any_of(homes_.begin(), homes_.end(), [&](const Home& other) {
        return other.home == home.home && other.serial == home.serial;
    });
    if (!known) {
        // Pools that have ended meanwhile.
        std::erase_if(homes_, [](const Home& other) {
            if (!other.home->try_enter(other.serial)) return true;
            other.home->leave();
            return false;
        });
        homes_.push_back(home);
        try {
            core.gates.add(*this);
        } catch (...) {
            homes_.pop_back();
            throw;
        }
    }
    last_enrolled_.store(core.serial, std::memory_order_relaxed);
}

void SlotGate::close() noexcept {
    closed_.store(true, std::memory_order_relaxed);
    protocol.look_who_must_go();
    const std::lock_guard lock(homes_mutex_);
    for (const Home& each : homes_) {
        if (!each.home->try_enter(each.serial)) continue;
        each.home->core().gates.remove(*this);
        each.home->leave();
    }
    homes_.clear();
}

// An entry that could not be claimed. If it is a job that needs a slot and has none yet, the first worker to find it
// decides: with a slot it runs here and now, else it waits at the gate and the worker takes other work.
Node* Worker::bring_to_gate(Node* node) noexcept {
    // Only if it has entered is the gate known to exist: then whoever cancels the job leaves the job's reference to us.
    if (!node->is_task() || !task_front(*node).gated || !node->claim.enter_gate()) {
        release(node);
        return nullptr;
    }
    SlotGate& gate = *gate_link(*node).gate;
    // A closure that is given up may submit something from its destructor.
    at_gate = true;
    Node* const started = take_slot_or_wait(*node, gate);
    at_gate = false;
    return started;
}

Node* Worker::take_slot_or_wait(Node& node, SlotGate& gate) noexcept {
    const std::uint32_t slot = gate.is_closed() ? kNoSlot : gate.protocol.try_take_if_none_waits();
    if (slot == kNoSlot) {
        gate.retain(1);
        gate.protocol.wait(node);
        gate.release();
        return nullptr;
    }
    gate_link(node).slot = slot;
    core.lanes[task_front(node).lane].room_before_slot().make(1);
    if (node.claim.try_start_with_slot()) return &node;
    gate.protocol.give(slot);
    gate.release();
    release(&node);
    return nullptr;
}

SlotGate& make_slot_gate(std::uint32_t slots, void* owner, void (*end)(void* owner) noexcept) {
    return *new SlotGate(slots, owner, end);
}

void abandon_slot_gate(SlotGate& gate) noexcept {
    SlotGate::abandon(gate);
}

void retain_gate(SlotGate& gate, std::uint32_t references) noexcept {
    gate.retain(references);
}

void release_gate(SlotGate& gate) noexcept {
    gate.release();
}

void close_gate(SlotGate& gate) noexcept {
    gate.close();
}

std::uint32_t try_take_slot(SlotGate& gate) noexcept {
    return gate.protocol.try_take_if_none_waits();
}

void give_slot_back(SlotGate& gate, std::uint32_t slot) noexcept {
    gate.protocol.give(slot);
}

void give_slots_back(SlotGate& gate, const std::uint32_t* slots, std::size_t count) noexcept {
    gate.protocol.give(slots, count);
}

std::uint32_t free_slots(const SlotGate& gate) noexcept {
    return gate.protocol.free().count_free();
}

std::uint32_t jobs_at(const SlotGate& gate) noexcept {
    return gate.protocol.waiting_hint();
}

void prepare_gate(SlotGate& gate, PoolCore& core) {
    gate.enrol(core);
}

void submit_gated(Admission& admission, Job& job, const SubmitOptions& options, SlotGate& gate) noexcept {
    auto& node = static_cast<Node&>(job);
    make_task(admission.core(), node, options, false);
    task_front(node).gated = true;
    ::new (static_cast<void*>(node.closure + kTaskHeaderBytes)) GateLink{&gate, {nullptr}};
    admission.queue(job, options.priority);
}

void* gate_owner(Job& job) noexcept {
    return gate_link(static_cast<Node&>(job)).gate->owner;
}

std::uint32_t slot_of(Job& job) noexcept {
    return gate_link(static_cast<Node&>(job)).slot;
}

void leave_gate(Job& job) noexcept {
    gate_link(static_cast<Node&>(job)).gate->release();
}

void leave_gate_unused(Job& job) noexcept {
    auto& node = static_cast<Node&>(job);
    if (node.claim.has_slot()) {
        SlotGate& gate = *gate_link(node).gate;
        gate.protocol.give(gate_link(node).slot);
        gate.release();
    } else if (!node.claim.has_entered_gate()) {
        task_header(node).home->core().lanes[task_front(node).lane].room_before_slot().make(1);
        gate_link(node).gate->release();
    }
}

void gated_job_failed() noexcept {
    Worker::current()->job_end = JobEnd::failed;
}

bool raise_gated(Job& job, Priority priority) {
    auto& node = static_cast<Node&>(job);
    if (!raise_task(job, priority)) return false;
    if (node.claim.has_entered_gate()) gate_link(node).gate->protocol.note_raise();
    return true;
}

}  // namespace quarry::impl
