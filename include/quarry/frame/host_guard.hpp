#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "quarry/export.hpp"
#include "quarry/frame/fwd.hpp"

namespace quarry {

namespace impl {

// A number of the thread that no other thread of the process has or will have; 0: it never needed one. The system's own
// numbers are used again once a thread has ended.
extern QUARRY_API constinit thread_local std::uint64_t thread_token __attribute__((tls_model("initial-exec")));

struct HostRole;

}  // namespace impl

// Marks one thread as the host's: the one that made the guard. What only that thread may do says so with
//     guard.assert_host("Scene::attach");
// which costs a comparison there, and throws on every other thread. Copies share one role: give one guard to all that
// belongs to the same host.
//
// The role passes to another thread in two explicit steps: release() on the host's thread, adopt() on the other one.
// When the host's thread ends without release(), nobody is the host, and no later thread is taken for it; adopt() then
// works at once.
class HostGuard {
  public:
    // The calling thread has the role.
    QUARRY_API HostGuard();
    // No move: there is always a role.
    HostGuard(const HostGuard& other) = default;
    HostGuard& operator=(const HostGuard& other) = default;

    // Any thread.
    bool is_host() const noexcept { return token_->load(std::memory_order_relaxed) == impl::thread_token; }
    // Throws quarry::Error with `what` was called and both threads' names, as far as there is a host.
    void assert_host(const char* what) const {
        if (!is_host()) [[unlikely]]
            refuse(what);
    }

    // On the host's thread, or throws: from now on nobody has the role.
    QUARRY_API void release();
    // The calling thread takes the role. Throws quarry::Error while another thread has it and lives.
    QUARRY_API void adopt();

    // The name that the host's thread had when it took the role; empty when nobody has it.
    QUARRY_API std::string host_name() const;

  private:
    [[noreturn]] QUARRY_API void refuse(const char* what) const;

    std::shared_ptr<impl::HostRole> role_;
    const std::atomic<std::uint64_t>* token_;  // in the role, for the comparison without a call
};

}  // namespace quarry
