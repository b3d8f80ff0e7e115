#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/process/job.hpp"

namespace quarry::process {

namespace impl {
class Channel;
}

// A broadcast state as a worker sees it. The version changes with each broadcast of its key, so that what a handler
// computes from it can be kept.
struct StateView {
    std::span<const std::byte> bytes;
    std::uint64_t version = 0;
};

// A job in a worker, for as long as its handler runs.
class JobContext {
  public:
    explicit JobContext(impl::Channel& channel) : channel_(channel) {}
    JobContext(const JobContext&) = delete;
    JobContext& operator=(const JobContext&) = delete;

    JobId id() const noexcept { return id_; }
    std::uint64_t type() const noexcept { return type_; }  // JobType::hash
    std::span<const std::byte> payload() const noexcept { return payload_; }
    std::string_view text() const noexcept { return {reinterpret_cast<const char*>(payload_.data()), payload_.size()}; }
    QUARRY_API int worker() const noexcept;

    // Room for the answer, where the host will read it. Waits while the host holds so many results that there is none;
    // throws quarry::Error for more than EngineOptions::result_arena. A later call replaces it.
    QUARRY_API std::span<std::byte> reply(std::size_t bytes);
    // A copy of this is the answer.
    QUARRY_API void reply(std::span<const std::byte> bytes);
    void reply(std::string_view text) { reply(std::as_bytes(std::span(text))); }

    // The host has asked for the job to be cancelled. A handler that heeds it throws quarry::Cancelled.
    QUARRY_API bool stop_requested() const noexcept;
    // Nothing: no such key has been broadcast.
    QUARRY_API std::optional<StateView> state(std::string_view key) const;

  private:
    friend class impl::Channel;

    impl::Channel& channel_;
    JobId id_ = 0;
    std::uint64_t type_ = 0;
    std::span<const std::byte> payload_;
};

using Handler = std::function<void(JobContext&)>;

// What a worker can do: a handler for each type of job. An exception that leaves a handler is the job's error.
class Registry {
  public:
    // Throws std::invalid_argument for a name that is empty, longer than 63 bytes or there already.
    QUARRY_API void add(std::string name, Handler handler);
    QUARRY_API const Handler* find(std::uint64_t type) const noexcept;
    const std::vector<std::string>& names() const noexcept { return names_; }

  private:
    std::vector<std::string> names_;
    std::unordered_map<std::uint64_t, Handler> handlers_;
};

}  // namespace quarry::process
