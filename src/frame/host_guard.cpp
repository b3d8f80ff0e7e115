#include "quarry/frame/host_guard.hpp"

#include <limits>
#include <mutex>
#include <utility>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/ext/thread_name.hpp"

namespace quarry {

namespace impl {

constinit thread_local std::uint64_t thread_token = 0;

namespace {

// No thread has it, not even one that never needed a token.
constexpr std::uint64_t kNobody = std::numeric_limits<std::uint64_t>::max();

// Shared by a thread and the roles that it has: says afterwards that the thread has ended.
struct ThreadLife {
    std::atomic<bool> ended{false};
};

class ThreadLifeOwner {
  public:
    ThreadLifeOwner() : life_(std::make_shared<ThreadLife>()) {}
    ThreadLifeOwner(const ThreadLifeOwner&) = delete;
    ThreadLifeOwner& operator=(const ThreadLifeOwner&) = delete;
    ~ThreadLifeOwner() { life_->ended.store(true, std::memory_order_release); }

    const std::shared_ptr<ThreadLife>& life() const noexcept { return life_; }

  private:
    std::shared_ptr<ThreadLife> life_;
};

const std::shared_ptr<ThreadLife>& life_of_this_thread() {
    static thread_local const ThreadLifeOwner owner;
    return owner.life();
}

std::uint64_t token_of_this_thread() noexcept {
    static std::atomic<std::uint64_t> last{0};
    if (thread_token == 0) thread_token = last.fetch_add(1, std::memory_order_relaxed) + 1;
    return thread_token;
}

}  // namespace

// The token is written under the mutex, and read without it: a thread only asks whether it is its own, and only that
// thread itself writes its own token, or takes it away.
struct HostRole {
    std::atomic<std::uint64_t> token{kNobody};
    mutable std::mutex mutex;
    std::shared_ptr<ThreadLife> life;  // null: nobody has the role
    std::string name;

    bool held_elsewhere() const noexcept {
        return life && !life->ended.load(std::memory_order_acquire) &&
               token.load(std::memory_order_relaxed) != thread_token;
    }
};

}  // namespace impl

HostGuard::HostGuard() : role_(std::make_shared<impl::HostRole>()), token_(&role_->token) {
    adopt();
}

void HostGuard::adopt() {
    std::shared_ptr<impl::ThreadLife> life = impl::life_of_this_thread();
    std::string name = ext::thread_name();
    const std::lock_guard lock(role_->mutex);
    if (role_->held_elsewhere()) {
        throw Error("HostGuard::adopt: the thread \"" + role_->name + "\" is the host's, so \"" + name +
                    "\" cannot be; it has to call release() first");
    }
    role_->life = std::move(life);
    role_->name = std::move(name);
    role_->token.store(impl::token_of_this_thread(), std::memory_order_relaxed);
}

void HostGuard::release() {
    assert_host("HostGuard::release");
    const std::lock_guard lock(role_->mutex);
    role_->life = nullptr;
    role_->name.clear();
    role_->token.store(impl::kNobody, std::memory_order_relaxed);
}

std::string HostGuard::host_name() const {
    const std::lock_guard lock(role_->mutex);
    return role_->name;
}

void HostGuard::refuse(const char* what) const {
    std::string message = what;
    const std::lock_guard lock(role_->mutex);
    if (!role_->life) {
        message += " is for the host's thread, but none has that role since release(); it was called on the thread \"";
    } else {
        message += " is for the host's thread \"" + role_->name;
        message += role_->life->ended.load(std::memory_order_acquire)
                       ? "\", which has ended without release(); it was called on the thread \""
                       : "\"; it was called on another thread, \"";
    }
    throw Error(message + ext::thread_name() + "\"");
}

}  // namespace quarry
