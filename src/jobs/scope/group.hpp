#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "jobs/completion/completion.hpp"
#include "jobs/task/node.hpp"
#include "quarry/jobs/fwd.hpp"

namespace quarry::impl {

class Worker;

// Jobs that are waited for together: those of a scope or of a loop. It lives in a node of its own, which is the
// ancestor of its jobs in the lineage.
struct Group {
    Completion<DefaultAtomics, Node> completion;
    Worker* owner;
    const ScopeOptions* options;  // null: a loop
    const char* name;             // in traces; may be null
    Node* listed = nullptr;       // taken from the completion's list and not looked at yet
    std::uint32_t spawned = 0;    // by the owner
    std::atomic<std::uint32_t> failed{0};
    std::atomic<bool> stopped{false};      // a loop's body threw: what has not started is left out
    std::atomic<bool> errors_lost{false};  // there was no memory to collect one
    std::exception_ptr first_error;        // written by the job that raised `failed` from 0

    Group(Worker& group_owner, const ScopeOptions* scope_options, const char* trace_name) noexcept
        : owner(&group_owner), options(scope_options), name(trace_name) {}

    Node& node() noexcept { return node_around(this); }

    // From within a handler: keeps the first error, counts all.
    void job_failed(std::uint64_t spawn_index) noexcept;
    bool stop_requested() const noexcept;

    static Group& create(Worker& owner, const ScopeOptions* options, const char* name);
    static void destroy(Group& group) noexcept;
};
static_assert(sizeof(Group) <= kInlineClosureBytes);

}  // namespace quarry::impl
