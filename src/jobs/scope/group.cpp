#include "jobs/scope/group.hpp"

#include <mutex>
#include <new>

#include "jobs/os/process_wide.hpp"
#include "jobs/worker/worker.hpp"
#include "quarry/jobs/scope.hpp"

namespace quarry::impl {
namespace {

// Errors are rare and a group has no room for a mutex of its own.
struct CollectingErrors {
    std::mutex mutex;
};

}  // namespace

Group& Group::create(Worker& owner, const ScopeOptions* options, const char* name) {
    Node* const node = owner.nodes.take();
    node->group = nullptr;
    return *::new (static_cast<void*>(node->closure)) Group(owner, options, name);
}

void Group::destroy(Group& group) noexcept {
    Worker& owner = *group.owner;
    Node& node = group.node();
    group.~Group();
    owner.nodes.put(&node);
}

void Group::job_failed(std::uint64_t spawn_index) noexcept {
    if (failed.fetch_add(1, std::memory_order_relaxed) == 0) first_error = std::current_exception();
    if (options == nullptr || options->errors == nullptr) return;
    try {
        const std::lock_guard lock(os::process_wide<CollectingErrors>().mutex);
        options->errors->push_back({static_cast<std::size_t>(spawn_index), std::current_exception()});
    } catch (const std::bad_alloc&) {
        errors_lost.store(true, std::memory_order_relaxed);
    }
}

bool Group::stop_requested() const noexcept {
// ScopeOptions::stop is deprecated, not gone.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    const bool asked = options != nullptr && (options->stop_token.stop_requested() || options->stop.stop_requested());
#pragma GCC diagnostic pop
    return asked || stopped.load(std::memory_order_relaxed);
}

}  // namespace quarry::impl
