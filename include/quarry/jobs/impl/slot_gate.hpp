#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "quarry/export.hpp"
#include "quarry/jobs/impl/admission.hpp"
#include "quarry/jobs/impl/job.hpp"
#include "quarry/jobs/impl/task_body.hpp"
#include "quarry/jobs/lane.hpp"

// Jobs that need one of a fixed number of slots before they start: the worker that comes across one takes a slot for
// it, or leaves the job with the gate, which queues it again as soon as a slot is free. See src/jobs/gate/README.md.
namespace quarry::impl {

class SlotGate;

inline constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};
inline constexpr std::size_t kGateLinkBytes = 16;
template <class Body>
using GatedBodyIn = PayloadIn<Body, kTaskHeaderBytes + kGateLinkBytes>;

// A gate with one reference. `owner` is what its jobs find through it; when the last reference is gone the gate calls
// end(owner) and is no more. Throws std::bad_alloc.
QUARRY_API SlotGate& make_slot_gate(std::uint32_t slots, void* owner, void (*end)(void* owner) noexcept);
// A gate that nobody has used: ends it without calling end.
QUARRY_API void abandon_slot_gate(SlotGate& gate) noexcept;
QUARRY_API void retain_gate(SlotGate& gate, std::uint32_t references) noexcept;
QUARRY_API void release_gate(SlotGate& gate) noexcept;
// From now on no job starts: those that wait, and those that would, are cancelled.
QUARRY_API void close_gate(SlotGate& gate) noexcept;

// kNoSlot: none is free.
QUARRY_API std::uint32_t try_take_slot(SlotGate& gate) noexcept;
// Never waits. Starts nothing itself: a job that waits is queued.
QUARRY_API void give_slot_back(SlotGate& gate, std::uint32_t slot) noexcept;
QUARRY_API void give_slots_back(SlotGate& gate, const std::uint32_t* slots, std::size_t count) noexcept;
// Hints.
QUARRY_API std::uint32_t free_slots(const SlotGate& gate) noexcept;
QUARRY_API std::uint32_t jobs_at(const SlotGate& gate) noexcept;

// Queues a job, whose body and `operate` are set, that starts when it has a slot. Takes over two references to the
// gate: that of the job, which leave_gate gives up, and that of its handle. Throws std::bad_alloc before anything has
// happened: prepare_gate.
QUARRY_API void prepare_gate(SlotGate& gate, PoolCore& core);
QUARRY_API void submit_gated(Admission& admission, Job& job, const SubmitOptions& options, SlotGate& gate) noexcept;
// The job runs, or is given up: the owner of its gate, and its slot.
QUARRY_API void* gate_owner(Job& job) noexcept;
QUARRY_API std::uint32_t slot_of(Job& job) noexcept;
// The job runs: it has used its slot, and needs the gate no longer.
QUARRY_API void leave_gate(Job& job) noexcept;
// The job was given up: gives its slot back if it had one already.
QUARRY_API void leave_gate_unused(Job& job) noexcept;
// The running job has failed, and has told of it itself.
QUARRY_API void gated_job_failed() noexcept;

// As raise_task. Whoever calls holds a reference to the gate.
QUARRY_API bool raise_gated(Job& job, Priority priority);

}  // namespace quarry::impl
