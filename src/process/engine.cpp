#include "quarry/process/engine.hpp"

#include <bit>
#include <stdexcept>

#include "jobs/os/os.hpp"
#include "process/core.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/ext/fork.hpp"

namespace quarry::process {
namespace {

constexpr std::size_t kMostQueue = 1'000'000;
constexpr int kMostWorkers = 256;
constexpr int kMostSpares = 64;
constexpr std::size_t kMostArena = std::size_t{1} << 40;
constexpr std::size_t kMostSlots = 65'536;

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

EngineOptions checked(EngineOptions options) {
    require(options.workers >= 1 && options.workers <= kMostWorkers, "EngineOptions::workers must be 1 to 256");
    require(options.job_queue >= 1 && options.job_queue <= kMostQueue, "EngineOptions::job_queue must be 1 to 1000000");
    require(options.result_queue >= 1 && options.result_queue <= kMostQueue,
            "EngineOptions::result_queue must be 1 to 1000000");
    require(options.heartbeat >= std::chrono::milliseconds(50) && options.heartbeat <= std::chrono::hours(1),
            "EngineOptions::heartbeat must be 50 ms to 1 h");
    require(options.start_timeout >= std::chrono::milliseconds(1) && options.start_timeout <= std::chrono::hours(1),
            "EngineOptions::start_timeout must be 1 ms to 1 h");
    require(
        options.shutdown_timeout >= std::chrono::milliseconds(0) && options.shutdown_timeout <= std::chrono::hours(1),
        "EngineOptions::shutdown_timeout must be 0 to 1 h");
    require(!options.command.empty() && !options.command[0].empty(),
            "EngineOptions::command must name the executable of the workers");
    require(options.spares >= 0 && options.spares <= kMostSpares, "EngineOptions::spares must be 0 to 64");
    require(std::has_single_bit(options.ring_slots) && options.ring_slots >= 2 && options.ring_slots <= kMostSlots,
            "EngineOptions::ring_slots must be a power of two, 2 to 65536");
    require(options.job_arena >= impl::kPageBytes && options.job_arena <= kMostArena,
            "EngineOptions::job_arena must be 4096 bytes to 1 TiB");
    require(options.result_arena >= impl::kPageBytes && options.result_arena <= kMostArena,
            "EngineOptions::result_arena must be 4096 bytes to 1 TiB");
    require(options.max_payload >= 1 && options.max_payload <= 0xffff'ffff,
            "EngineOptions::max_payload must be 1 byte to 4 GiB");
    require(options.max_states >= 1 && options.max_states <= kMostQueue,
            "EngineOptions::max_states must be 1 to 1000000");
    require(options.spin >= std::chrono::microseconds(0) && options.spin <= std::chrono::seconds(1),
            "EngineOptions::spin must be 0 to 1 s");
    require(options.work_ahead >= std::chrono::microseconds(0) && options.work_ahead <= std::chrono::seconds(10),
            "EngineOptions::work_ahead must be 0 to 10 s");
    return options;
}

}  // namespace

namespace impl {

Peer::Peer(os::Kind os_kind, const SegmentShape& shape)
    : kind(os_kind),
      memory(os::create_memory(os_kind, shape.bytes())),
      segment(std::make_shared<Segment>(memory.get(), shape)),
      ring((segment->construct(), segment->header().ring), shape.slots),
      entries(shape.slots) {
    if (os_kind == os::Kind::portable) job_event = os::create_event(os_kind);
}

Core::Core(EngineOptions options)
    : options_(std::move(options)),
      kind_(options_.portable ? os::Kind::portable : os::Kind::native),
      shape_{options_.ring_slots, SegmentShape::round_up(options_.result_arena)},
      ticks_per_us_(::quarry::impl::os::ticks_per_microsecond()),
      time_of_(ticks_per_us_),
      fork_generation_(ext::fork_generation()),
      arena_(kind_, options_.job_arena),
      page_memory_(os::create_memory(kind_, kHostPageBytes)),
      host_event_(os::create_event(kind_)),
      supervisor_event_(os::create_event(kind_)),
      spin_time_(static_cast<std::uint64_t>(options_.spin.count()) * ticks_per_us_),
      seats_(static_cast<std::size_t>(options_.workers)) {
    if (kind_ == os::Kind::portable) wait_event_ = os::create_event(kind_);
    page_ = new (os::map_memory(page_memory_.get(), kHostPageBytes, true)) HostPage();
    supervisor_ = std::thread([this] { supervise(); });
}

Core::~Core() {
    os::unmap_memory(reinterpret_cast<const std::byte*>(page_), kHostPageBytes);
}

}  // namespace impl

Engine::Engine(EngineOptions options) : options_(checked(std::move(options))), core_(new impl::Core(options_)) {
    if (!options_.wait) return;
    core_->wait_until_started();
    const EngineHealth health = core_->health();
    for (const WorkerHealth& worker : health.workers) {
        if (worker.alive) return;
    }
    core_->shutdown(std::chrono::nanoseconds(0));
    delete core_;
    throw Error("no worker could be started: " +
                (health.failure.empty() ? std::string("none became ready in time") : health.failure));
}

Engine::~Engine() {
    if (core_->is_forked_child()) return;
    core_->shutdown(options_.shutdown_timeout);
    delete core_;
}

Submitted Engine::submit(JobType type, std::span<const std::byte> payload, const JobOptions& options) {
    return core_->submit(type, std::span(&payload, 1), options);
}
Submitted Engine::submit_parts(JobType type, std::span<const std::span<const std::byte>> parts,
                               const JobOptions& options) {
    return core_->submit(type, parts, options);
}
std::size_t Engine::submit_many(std::span<const JobRequest> jobs, std::span<Submitted> out) {
    return core_->submit_many(jobs, out);
}
std::vector<Result> Engine::poll(std::size_t most, std::chrono::nanoseconds budget) {
    std::vector<Result> results;
    core_->poll(results, most, budget);
    return results;
}
std::size_t Engine::poll_into(std::vector<Result>& out, std::size_t most, std::chrono::nanoseconds budget) {
    return core_->poll(out, most, budget);
}
Cancel Engine::cancel(JobId id) {
    return core_->cancel(id);
}
bool Engine::wait(std::span<const JobId> ids, std::chrono::steady_clock::time_point until) {
    return core_->wait(ids, until);
}
bool Engine::drain(std::chrono::steady_clock::time_point until) {
    return core_->drain(until);
}
Refusal Engine::broadcast(std::string_view key, std::span<const std::byte> payload) {
    return core_->broadcast(key, payload);
}
bool Engine::forget(std::string_view key) {
    return core_->forget(key);
}
void Engine::set_retry(JobType type, Retry retry) {
    core_->set_retry(type, retry);
}
int Engine::descriptor() {
    return core_->descriptor();
}
EngineStats Engine::stats() const {
    return core_->stats();
}
EngineHealth Engine::health() const {
    return core_->health();
}
Readiness Engine::ready() const {
    return core_->ready();
}
std::vector<std::string> Engine::handlers() const {
    return core_->handlers();
}
ShutdownReport Engine::shutdown(std::chrono::nanoseconds timeout) {
    return core_->shutdown(timeout);
}

}  // namespace quarry::process
