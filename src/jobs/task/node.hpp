#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "jobs/claim/claim.hpp"
#include "jobs/completion/latch.hpp"
#include "jobs/completion/task_end.hpp"
#include "quarry/jobs/impl/atomics.hpp"
#include "quarry/jobs/impl/job.hpp"
#include "quarry/jobs/lane.hpp"

namespace quarry::impl {

struct Group;

// A job as the queues know it. Nodes live in memory that is never given back, so a thread may look at the lineage of
// a node that has just been recycled; what it saw counts only if it then gets the node (see Deque::steal_if).
struct alignas(128) Node : Job {
    Claim<DefaultAtomics> claim;
    // Lineage: the job or group within which this one was created. Ancestors outlive their descendants, because
    // everything that has a lineage is waited for; submitted tasks start a lineage of their own.
    // In the upper bits of the depth stands the priority of the submitted job at the root, which all inherit.
    std::atomic<std::uint32_t> depth;
    std::atomic<Node*> parent;
    // In a group's list (Completion), among those told of a task's end (TaskEnd), or in a lane's OverflowList: in one
    // of them at a time. A job that is listed in its group goes to no queue that links; a continuation is queued only
    // after the list that told of the end has been read past it.
    DefaultAtomics::Plain<Node*> next;
    Group* group;  // whose completion this job counts for; null: it has a latch; or task_mark()
    union {
        Latch<DefaultAtomics> latch;
        TaskEnd<DefaultAtomics> end;  // of a task
        std::uint64_t spawn_index;    // within its group
    };
    alignas(16) std::byte closure[kInlineClosureBytes];

    Node() noexcept : spawn_index(0) {}  // NOLINT: the rest is set when the node is used
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    // Tasks have no group; this stands in its place.
    static Group* task_mark() noexcept { return reinterpret_cast<Group*>(std::uintptr_t{1}); }
    bool is_task() const noexcept { return group == task_mark(); }

    void descend_from(Node* ancestor) noexcept {
        parent.store(ancestor, std::memory_order_relaxed);
        depth.store(
            ancestor == nullptr ? root_depth(Priority::normal) : ancestor->depth.load(std::memory_order_relaxed) + 1,
            std::memory_order_relaxed);
    }
    void become_root(Priority priority) noexcept {
        parent.store(nullptr, std::memory_order_relaxed);
        depth.store(root_depth(priority), std::memory_order_relaxed);
    }
    // A task is about to start: what it may have been raised to is what it hands down.
    void settle_priority() noexcept {
        const auto settled = static_cast<Priority>(claim.priority());
        if (settled != priority()) become_root(settled);
    }
    Priority priority() const noexcept {
        return static_cast<Priority>(depth.load(std::memory_order_relaxed) >> kPriorityShift);
    }

  private:
    static constexpr unsigned kPriorityShift = 30;
    static constexpr std::uint32_t root_depth(Priority priority) noexcept {
        return static_cast<std::uint32_t>(priority) << kPriorityShift;
    }
};
static_assert(sizeof(Node) == 128 && sizeof(Node) - kInlineClosureBytes == kClosureOffset);

// The node in whose closure an object was built. The closure is the last member.
inline Node& node_around(void* closure) noexcept {
    return *reinterpret_cast<Node*>(static_cast<std::byte*>(closure) - kClosureOffset);
}

// Whether `ancestor` is among the ancestors of `node`. Looks at no more than kMostGenerations of them: a thief that
// is further away does without the job. Whoever descends from it has inherited its priority, so depths compare as they
// are.
inline constexpr int kMostGenerations = 64;
inline bool descends_from(const Node& node, const Node& ancestor) noexcept {
    const std::uint32_t wanted = ancestor.depth.load(std::memory_order_relaxed);
    const Node* current = &node;
    for (int generation = 0; generation < kMostGenerations; ++generation) {
        current = current->parent.load(std::memory_order_relaxed);
        if (current == nullptr) return false;
        if (current->depth.load(std::memory_order_relaxed) <= wanted) return current == &ancestor;
    }
    return false;
}

// One thread's stock of free nodes. It trades them with the stock that all share in bundles, as lists of addresses: the
// nodes themselves, which the last user's processor still holds, are not touched.
class NodeCache {
  public:
    NodeCache() = default;
    NodeCache(const NodeCache&) = delete;
    NodeCache& operator=(const NodeCache&) = delete;
    ~NodeCache() { give_back(count_); }

    Node* take() {
        if (count_ == 0) [[unlikely]]
            refill();
        Node* const node = free_[--count_];
        if (count_ >= kAhead) fetch(free_[count_ - kAhead]);
        return node;
    }
    void put(Node* node) noexcept {
        if (count_ == free_.size()) [[unlikely]]
            give_back(kBundle);
        free_[count_++] = node;
    }

    // For a thread that has no cache any more because it ends.
    static Node* take_shared();
    static void put_shared(Node* node) noexcept;

    static constexpr std::size_t kBundle = 128;

  private:
    // A node that another processor wrote last takes as long to come as a few jobs take to submit.
    static constexpr std::size_t kAhead = 4;
    static void fetch(Node* node) noexcept {
        __builtin_prefetch(node, 1);
        __builtin_prefetch(reinterpret_cast<std::byte*>(node) + sizeof(Node) / 2, 1);
    }

    void refill();
    void give_back(std::size_t count) noexcept;  // the oldest

    std::size_t count_ = 0;
    std::array<Node*, 2 * kBundle> free_;
};

// Drops one reference; the last one recycles the node.
void release(Node* node) noexcept;

}  // namespace quarry::impl
