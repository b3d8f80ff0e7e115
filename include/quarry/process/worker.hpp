#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "quarry/export.hpp"
#include "quarry/process/handler.hpp"

namespace quarry::process {

// Serves jobs until the engine that started this process wants no more. What a worker's main returns.
QUARRY_API int serve(const Registry& handlers);

// The parts of serve, for workers that run handlers in a language of their own: open, say what it can do, then take
// jobs one by one and finish each. A native thread tells the engine meanwhile that the process lives, and ends it when
// the engine's process has died.
class Worker {
  public:
    // Throws quarry::Error unless an engine has started this process. Ends the process if that is of another version.
    QUARRY_API Worker();
    QUARRY_API ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // The names of its handlers; jobs come from now on.
    QUARRY_API void ready(std::span<const std::string> names);
    // It cannot serve; the engine's constructor throws with this text.
    QUARRY_API void refuse(std::string_view why);

    // Waits for the next job; nullptr: that moment has come, or stopping().
    QUARRY_API JobContext* take(std::chrono::steady_clock::time_point until);
    // Whether the engine wants no more.
    QUARRY_API bool stopping() const noexcept;

    // Each job that was taken is ended by one of these three. This one: the answer stands.
    QUARRY_API void finish();
    // It failed; `traceback` says where, if the language knows.
    QUARRY_API void fail(std::string_view text, std::string_view traceback = {});
    // It heeded a request to stop.
    QUARRY_API void cancelled();

  private:
    std::unique_ptr<impl::Channel> channel_;
};

}  // namespace quarry::process
