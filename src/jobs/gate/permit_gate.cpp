#include "jobs/gate/permit_gate.hpp"

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

bool GatedJobs::grant(Node& node, std::uint32_t permit) const noexcept {
    {
        const TaskVisit visit(node);
        gate_link(node).permit = permit;
        std::uint32_t level = 0;
        if (visit && node.claim.try_arm_with_permit(level)) {
            // From here on the job may run at any moment: a raise may have left it another entry.
            // Never into the calling worker's own queues: it may be past them in its search, and would not look again.
            const Lane lane = task_front(node).lane;
            Injection& injection = visit.core().lanes[lane];
            injection.room_before_permit().make(1);
            injection.room().take_beyond();
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
        if (visit) visit.core().lanes[task_front(node).lane].room_before_permit().make(1);
    }
    release(&node);
    gate.release();
}

void PermitGate::enrol(PoolCore& core) {
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

void PermitGate::close() noexcept {
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

// An entry that could not be claimed. If it is a job that needs a permit and has none yet, the first worker to find it
// decides: with a permit it runs here and now, else it waits at the gate and the worker takes other work.
Node* Worker::bring_to_gate(Node* node) noexcept {
    // Only if it has entered is the gate known to exist: then whoever cancels the job leaves the job's reference to us.
    if (!node->is_task() || !task_front(*node).gated || !node->claim.enter_gate()) {
        release(node);
        return nullptr;
    }
    PermitGate& gate = *gate_link(*node).gate;
    // A closure that is given up may submit something from its destructor.
    at_gate = true;
    Node* const started = take_permit_or_wait(*node, gate);
    at_gate = false;
    return started;
}

Node* Worker::take_permit_or_wait(Node& node, PermitGate& gate) noexcept {
    const std::uint32_t permit = gate.is_closed() ? ext::kNoPermit : gate.protocol.try_take_if_none_waits();
    if (permit == ext::kNoPermit) {
        gate.retain(1);
        gate.protocol.wait(node);
        gate.release();
        return nullptr;
    }
    gate_link(node).permit = permit;
    core.lanes[task_front(node).lane].room_before_permit().make(1);
    if (node.claim.try_start_with_permit()) return &node;
    gate.protocol.give(permit);
    gate.release();
    release(&node);
    return nullptr;
}

}  // namespace quarry::impl

namespace quarry::ext {

using impl::gate_link;
using impl::GateLink;
using impl::JobEnd;
using impl::kTaskHeaderBytes;
using impl::Node;
using impl::task_front;
using impl::task_header;
using impl::Worker;

PermitGate& make_permit_gate(std::uint32_t permits, void* owner, void (*end)(void* owner) noexcept) {
    return *new PermitGate(permits, owner, end);
}

void abandon_permit_gate(PermitGate& gate) noexcept {
    PermitGate::abandon(gate);
}

void retain_gate(PermitGate& gate, std::uint32_t references) noexcept {
    gate.retain(references);
}

void release_gate(PermitGate& gate) noexcept {
    gate.release();
}

void close_gate(PermitGate& gate) noexcept {
    gate.close();
}

std::uint32_t try_take_permit(PermitGate& gate) noexcept {
    return gate.protocol.try_take_if_none_waits();
}

void give_permit_back(PermitGate& gate, std::uint32_t permit) noexcept {
    gate.protocol.give(permit);
}

void give_permits_back(PermitGate& gate, const std::uint32_t* permits, std::size_t count) noexcept {
    gate.protocol.give(permits, count);
}

std::uint32_t jobs_at(const PermitGate& gate) noexcept {
    return gate.protocol.waiting_hint();
}

void prepare_gate(PermitGate& gate, PoolCore& core) {
    gate.enrol(core);
}

void submit_gated(Admission& admission, Job& job, const SubmitOptions& options, PermitGate& gate) noexcept {
    auto& node = static_cast<Node&>(job);
    make_task(admission.core(), node, options, false);
    task_front(node).gated = true;
    ::new (static_cast<void*>(node.closure + kTaskHeaderBytes)) GateLink{&gate, {nullptr}};
    admission.queue(job, options.priority);
}

void* gate_owner(Job& job) noexcept {
    return gate_link(static_cast<Node&>(job)).gate->owner;
}

std::uint32_t permit_of(Job& job) noexcept {
    return gate_link(static_cast<Node&>(job)).permit;
}

void leave_gate(Job& job) noexcept {
    gate_link(static_cast<Node&>(job)).gate->release();
}

void leave_gate_unused(Job& job) noexcept {
    auto& node = static_cast<Node&>(job);
    if (node.claim.has_permit()) {
        PermitGate& gate = *gate_link(node).gate;
        gate.protocol.give(gate_link(node).permit);
        gate.release();
    } else if (!node.claim.has_entered_gate()) {
        task_header(node).home->core().lanes[task_front(node).lane].room_before_permit().make(1);
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

}  // namespace quarry::ext
