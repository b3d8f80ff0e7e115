#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "quarry/jobs/fwd.hpp"

#include "jobs/completion/completion.hpp"
#include "jobs/node.hpp"

namespace quarry::impl {

class Worker;

// Jobs that are waited for together: those of a scope or of a loop. It lives in a node of its own, which is the
// ancestor of its jobs in the lineage.
struct Group {
    static constexpr std::uint32_t kPruneAtLeast = 1024;

    Completion<DefaultAtomics, Node> completion;
    Worker* owner;
    Node* unstarted = nullptr;  // spawned by the owner and, as far as it knows, not started; newest first
    std::uint32_t unstarted_count = 0;
    std::uint32_t prune_at = kPruneAtLeast;  // how long the list may get before it is looked through
    std::uint32_t spawned = 0;               // by the owner
    std::atomic<std::uint32_t> failed{0};
    std::atomic<bool> stopped{false};  // a loop's body threw: what has not started is left out
    std::exception_ptr first_error;    // written by the job that raised `failed` from 0
    const ScopeOptions* options;

    Group(Worker& group_owner, const ScopeOptions* scope_options) noexcept
        : owner(&group_owner), options(scope_options) {}

    Node& node() noexcept { return node_around(this); }

    // Owner: counts a job that it has queued, and lists it so that it can be claimed wherever it is.
    void add_spawned_by_owner(Node& node) noexcept;

    // From within a handler: keeps the first error, counts all.
    void job_failed(std::uint64_t spawn_index) noexcept;
    bool stop_requested() const noexcept;

    static Group& create(Worker& owner, const ScopeOptions* options);
    static void destroy(Group& group) noexcept;

  private:
    void prune_unstarted() noexcept;
};
static_assert(sizeof(Group) <= kInlineClosureBytes);

}  // namespace quarry::impl
