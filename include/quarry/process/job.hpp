#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "quarry/export.hpp"
#include "quarry/frame/frame_tag.hpp"
#include "quarry/jobs/lane.hpp"

namespace quarry::process {

using JobId = std::uint64_t;  // 0: no job

// The name of a handler. What travels is a number made of it; of a literal the compiler makes it.
class JobType {
  public:
    // Longest name that a handler may have.
    static constexpr std::size_t kMostBytes = 63;

    // NOLINTNEXTLINE(google-explicit-constructor): a name is a type
    constexpr JobType(std::string_view name) : name_(name) {
        for (const char letter : name) {
            hash_ ^= static_cast<unsigned char>(letter);
            hash_ *= 0x100000001b3;
        }
    }
    constexpr JobType(const char* name) : JobType(std::string_view(name)) {}  // NOLINT(google-explicit-constructor)

    // The name, which must outlive this.
    constexpr std::string_view name() const { return name_; }
    // The number that stands for it: FNV-1a, 64 bits.
    constexpr std::uint64_t hash() const { return hash_; }

  private:
    std::string_view name_;
    std::uint64_t hash_ = 0xcbf29ce484222325;
};

// What becomes of a job whose worker dies while it runs.
enum class Retry {
    at_most_once,  // it is reported as lost
    idempotent,    // it is run again, unless it has taken two workers with it
};

// How a job is to be run.
struct JobOptions {
    std::optional<FrameTag> frame = {};  // from FrameLedger::submitted
    // From then on it is not started any more, and a worker that runs it is killed.
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    Priority priority = Priority::normal;  // before which waiting jobs it starts
    int worker = -1;                       // only on this worker, or the one that takes its place; -1: on any
};

// One of the jobs of submit_many.
struct JobRequest {
    JobType type;                             // which handler runs it
    std::span<const std::byte> payload = {};  // for the handler; copied
    JobOptions options = {};                  // how it is to be run
};

// Why a job was not accepted.
enum class Refusal {
    none,               // it was accepted
    queue_full,         // job_queue jobs wait already
    arena_full,         // no room for its payload until others have ended
    payload_too_large,  // more than max_payload
    unknown_type,       // no worker has a handler of that name
    no_such_worker,     // JobOptions::worker is not one
    shut_down,          // Engine::shutdown was called
    failed,             // no worker is left, and none can be started
};
// In words, with what is allowed.
QUARRY_API const char* describe(Refusal refusal) noexcept;

// What submit answers.
struct Submitted {
    JobId id = 0;                     // of the job; 0: it was not accepted
    Refusal refusal = Refusal::none;  // why not

    // Whether the job was accepted.
    explicit operator bool() const noexcept { return refusal == Refusal::none; }
};

}  // namespace quarry::process
