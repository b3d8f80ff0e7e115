#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "quarry/export.hpp"
#include "quarry/frame/frame_tag.hpp"
#include "quarry/process/job.hpp"

namespace quarry::process {

namespace impl {
class Segment;
struct PayloadAccess;
}  // namespace impl

// How a job ended.
enum class Status {
    ok,           // the handler answered
    error,        // the handler threw: text, and what it gave as traceback
    cancelled,    // before it started, or because the handler heeded the request
    deadline,     // not finished in time
    worker_lost,  // its worker died while it ran
};
// The enumerator's name, such as "worker_lost".
QUARRY_API const char* name_of(Status status) noexcept;

// What a handler answered. Small answers are inside; large ones stay in the memory that the worker wrote them to, and
// take room there until this is destroyed. That memory outlives the worker and the engine.
class Payload {
  public:
    // Answers of up to so many bytes are inside.
    static constexpr std::size_t kInside = 96;

    Payload() = default;
    // Moves. The other one is empty afterwards.
    QUARRY_API Payload(Payload&& other) noexcept;
    QUARRY_API Payload& operator=(Payload&& other) noexcept;
    QUARRY_API ~Payload();

    // The answer, valid for as long as this is.
    std::span<const std::byte> bytes() const noexcept {
        return {segment_ == nullptr ? inside_.data() : shared_, size_};
    }
    // Its size in bytes.
    std::size_t size() const noexcept { return size_; }
    // Whether it lies in the worker's memory, and not inside.
    bool is_shared() const noexcept { return segment_ != nullptr; }
    // The bytes as text.
    std::string_view text() const noexcept { return {reinterpret_cast<const char*>(bytes().data()), bytes().size()}; }

  private:
    friend struct impl::PayloadAccess;
    void give_back() noexcept;

    std::size_t size_ = 0;
    const std::byte* shared_ = nullptr;
    std::shared_ptr<impl::Segment> segment_;
    std::array<std::byte, kInside> inside_;
};

// How one job ended, and what it answered.
struct Result {
    JobId id = 0;                        // as submit gave it
    Status status = Status::ok;          // how it ended
    bool poison = false;                 // two workers died of it
    bool apply = true;                   // false: the ledger's policy drops it as stale
    int worker = -1;                     // which one answered, or was lost; -1: none
    std::uint64_t type = 0;              // JobType::hash of its handler
    std::optional<FrameTag> frame = {};  // as in JobOptions
    std::chrono::nanoseconds run{};      // in the handler
    std::chrono::nanoseconds latency{};  // from submit until the engine had the result
    Payload payload = {};                // of Status::ok
    std::string text = {};               // of any other status: what happened
    std::string traceback = {};          // of an error: where it happened, if the handler's language says so
};

}  // namespace quarry::process
