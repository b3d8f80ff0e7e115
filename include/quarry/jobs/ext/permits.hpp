#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "quarry/export.hpp"
#include "quarry/jobs/impl/admission.hpp"
#include "quarry/jobs/impl/job.hpp"
#include "quarry/jobs/impl/task_body.hpp"
#include "quarry/jobs/lane.hpp"

// For layers that stand on jobs: jobs that need one of a fixed number of permits before they start. The worker that
// comes across one takes a permit for it, or leaves the job with the gate, which queues it again as soon as a permit is
// free. See src/jobs/gate/README.md.
namespace quarry::impl {

class PermitGate;

}  // namespace quarry::impl

namespace quarry::ext {

using impl::Admission;   // leave for one job to enter its lane, taken before the job is made
using impl::Job;         // a job as its pool knows it
using impl::PermitGate;  // the permits, and the jobs that wait for one
using impl::PoolCore;    // what Pool::core() gives

// No permit.
inline constexpr std::uint32_t kNoPermit = ~std::uint32_t{0};
// What the gate keeps in the job, before its body.
inline constexpr std::size_t kGateLinkBytes = 16;
// Where such a job has its body.
template <class Body>
using GatedBodyIn = impl::PayloadIn<Body, impl::kTaskHeaderBytes + kGateLinkBytes>;

// A gate with one reference. `owner` is what its jobs find through it; when the last reference is gone the gate calls
// end(owner) and is no more. Throws std::bad_alloc.
QUARRY_API PermitGate& make_permit_gate(std::uint32_t permits, void* owner, void (*end)(void* owner) noexcept);
// A gate that nobody has used: ends it without calling end.
QUARRY_API void abandon_permit_gate(PermitGate& gate) noexcept;
// References.
QUARRY_API void retain_gate(PermitGate& gate, std::uint32_t references) noexcept;
QUARRY_API void release_gate(PermitGate& gate) noexcept;
// From now on no job starts: those that wait, and those that would, are cancelled.
QUARRY_API void close_gate(PermitGate& gate) noexcept;

// kNoPermit: none is free.
QUARRY_API std::uint32_t try_take_permit(PermitGate& gate) noexcept;
// Never waits. Starts nothing itself: a job that waits is queued.
QUARRY_API void give_permit_back(PermitGate& gate, std::uint32_t permit) noexcept;
QUARRY_API void give_permits_back(PermitGate& gate, const std::uint32_t* permits, std::size_t count) noexcept;
// A hint.
QUARRY_API std::uint32_t jobs_at(const PermitGate& gate) noexcept;

// Queues a job, whose body and `operate` are set, that starts when it has a permit. Takes over two references to the
// gate: that of the job, which leave_gate gives up, and that of its handle. Throws std::bad_alloc before anything has
// happened: prepare_gate.
QUARRY_API void prepare_gate(PermitGate& gate, PoolCore& core);
QUARRY_API void submit_gated(Admission& admission, Job& job, const SubmitOptions& options, PermitGate& gate) noexcept;
// The job runs, or is given up: the owner of its gate, and its permit.
QUARRY_API void* gate_owner(Job& job) noexcept;
QUARRY_API std::uint32_t permit_of(Job& job) noexcept;
// The job runs: it has used its permit, and needs the gate no longer.
QUARRY_API void leave_gate(Job& job) noexcept;
// The job was given up: gives its permit back if it had one already.
QUARRY_API void leave_gate_unused(Job& job) noexcept;
// The running job has failed, and has told of it itself.
QUARRY_API void gated_job_failed() noexcept;

// As raise_task. Whoever calls holds a reference to the gate.
QUARRY_API bool raise_gated(Job& job, Priority priority);

}  // namespace quarry::ext
