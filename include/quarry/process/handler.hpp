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
    std::span<const std::byte> bytes;  // valid until the handler returns
    std::uint64_t version = 0;         // another one with each broadcast
};

// A job in a worker, for as long as its handler runs.
class JobContext {
  public:
    // Made by the worker.
    explicit JobContext(impl::Channel& channel) : channel_(channel) {}
    JobContext(const JobContext&) = delete;
    JobContext& operator=(const JobContext&) = delete;

    // The job's number, as the host knows it.
    JobId id() const noexcept { return id_; }
    // JobType::hash of the handler's name.
    std::uint64_t type() const noexcept { return type_; }
    // What was submitted, valid until the handler returns.
    std::span<const std::byte> payload() const noexcept { return payload_; }
    // The payload as text.
    std::string_view text() const noexcept { return {reinterpret_cast<const char*>(payload_.data()), payload_.size()}; }
    // The number of this worker, from 0.
    QUARRY_API int worker() const noexcept;

    // Room for the answer, where the host will read it. Waits while the host holds so many results that there is none;
    // throws quarry::Error for more than EngineOptions::result_arena. A later call replaces it.
    QUARRY_API std::span<std::byte> reply(std::size_t bytes);
    // Answers with a copy of this.
    QUARRY_API void reply(std::span<const std::byte> bytes);
    void reply(std::string_view text) { reply(std::as_bytes(std::span(text))); }

    // Whether the host has asked for the job to be cancelled. A handler that heeds it throws quarry::Cancelled.
    QUARRY_API bool stop_requested() const noexcept;
    // The newest state of a key. Nothing: no such key has been broadcast.
    QUARRY_API std::optional<StateView> state(std::string_view key) const;

  private:
    friend class impl::Channel;

    impl::Channel& channel_;
    JobId id_ = 0;
    std::uint64_t type_ = 0;
    std::span<const std::byte> payload_;
};

// What runs a job: reads the payload and gives an answer, or throws.
using Handler = std::function<void(JobContext&)>;

// What a worker can do: a handler for each type of job. An exception that leaves a handler is the job's error.
class Registry {
  public:
    // Adds a handler. Throws std::invalid_argument for a name that is empty, longer than 63 bytes or there already.
    QUARRY_API void add(std::string name, Handler handler);
    // The handler of a JobType::hash; null: there is none.
    QUARRY_API const Handler* find(std::uint64_t type) const noexcept;
    // The names of all handlers, in the order in which they were added.
    const std::vector<std::string>& names() const noexcept { return names_; }

  private:
    std::vector<std::string> names_;
    std::unordered_map<std::uint64_t, Handler> handlers_;
};

}  // namespace quarry::process
