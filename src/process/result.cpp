#include "quarry/process/result.hpp"

#include <cstring>
#include <utility>

#include "process/segment.hpp"
#include "quarry/process/job.hpp"
#include "quarry/process/stats.hpp"

namespace quarry::process {

Payload::Payload(Payload&& other) noexcept
    : size_(std::exchange(other.size_, 0)), shared_(other.shared_), segment_(std::move(other.segment_)) {
    if (segment_ == nullptr) std::memcpy(inside_.data(), other.inside_.data(), size_);
}

Payload& Payload::operator=(Payload&& other) noexcept {
    if (this == &other) return *this;
    give_back();
    size_ = std::exchange(other.size_, 0);
    shared_ = other.shared_;
    segment_ = std::move(other.segment_);
    if (segment_ == nullptr) std::memcpy(inside_.data(), other.inside_.data(), size_);
    return *this;
}

Payload::~Payload() {
    give_back();
}

void Payload::give_back() noexcept {
    if (segment_ == nullptr) return;
    const auto first = static_cast<std::size_t>(shared_ - segment_->arena()) / impl::kBlockBytes;
    segment_->give_back(first, size_);
    segment_.reset();
}

const char* name_of(Status status) noexcept {
    switch (status) {
        case Status::ok:
            return "ok";
        case Status::error:
            return "error";
        case Status::cancelled:
            return "cancelled";
        case Status::deadline:
            return "deadline";
        case Status::worker_lost:
            return "worker lost";
    }
    return "";
}

const char* describe(Refusal refusal) noexcept {
    switch (refusal) {
        case Refusal::none:
            return "accepted";
        case Refusal::queue_full:
            return "the queue is full: as many jobs wait as EngineOptions::job_queue allows";
        case Refusal::arena_full:
            return "there is no room for the payload until other jobs have ended: see EngineOptions::job_arena";
        case Refusal::payload_too_large:
            return "the payload is larger than EngineOptions::max_payload allows";
        case Refusal::unknown_type:
            return "no worker has a handler of that name; Engine::handlers lists them";
        case Refusal::no_such_worker:
            return "JobOptions::worker must be -1 or the number of a worker, from 0";
        case Refusal::shut_down:
            return "the engine has been shut down";
        case Refusal::failed:
            return "no worker is left, and none can be started";
    }
    return "";
}

const char* name_of(Readiness readiness) noexcept {
    switch (readiness) {
        case Readiness::ready:
            return "ready";
        case Readiness::degraded:
            return "degraded";
        case Readiness::failed:
            return "failed";
    }
    return "";
}

const char* name_of(QueueLevel level) noexcept {
    switch (level) {
        case QueueLevel::normal:
            return "normal";
        case QueueLevel::high:
            return "high";
        case QueueLevel::critical:
            return "critical";
    }
    return "";
}

}  // namespace quarry::process
