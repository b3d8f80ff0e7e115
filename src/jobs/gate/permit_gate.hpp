#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "jobs/gate/gate.hpp"
#include "jobs/task/node.hpp"
#include "jobs/task/task_header.hpp"
#include "quarry/jobs/ext/permits.hpp"

namespace quarry::impl {

// In a gated job's node, between the header and the body. The link is used while the job waits at the gate, the permit
// once it has one.
struct GateLink {
    PermitGate* gate;
    union {
        Node* next;
        std::uint32_t permit;
    };
};
static_assert(sizeof(GateLink) == ext::kGateLinkBytes && kTaskHeaderBytes % alignof(GateLink) == 0);

inline GateLink& gate_link(Node& node) noexcept {
    return *std::launder(reinterpret_cast<GateLink*>(node.closure + kTaskHeaderBytes));
}

// What the protocol needs to know of jobs. A job that waits at the gate has room of its lane for
// those without a permit, and none in the queue.
struct GatedJobs {
    using Job = Node;

    PermitGate& gate;

    static Node* next(Node& node) noexcept { return gate_link(node).next; }
    static void set_next(Node& node, Node* next) noexcept { gate_link(node).next = next; }
    static std::uint32_t level(Node& node) noexcept { return node.claim.priority(); }
    bool must_go(Node& node) const noexcept;
    void give_up(Node& node) const noexcept;
    bool grant(Node& node, std::uint32_t permit) const noexcept;

  private:
    void forget(Node& node) const noexcept;
};

class PermitGate {
  public:
    PermitGate(std::uint32_t permits, void* gate_owner, void (*end)(void*) noexcept)
        : owner(gate_owner), protocol(permits, GatedJobs{*this}), end_(end) {}
    PermitGate(const PermitGate&) = delete;
    PermitGate& operator=(const PermitGate&) = delete;

    void retain(std::uint32_t references) noexcept { references_.fetch_add(references, std::memory_order_relaxed); }
    void release() noexcept {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        void (*const end)(void*) noexcept = end_;
        void* const gate_owner = owner;
        delete this;
        end(gate_owner);
    }

    static void abandon(PermitGate& gate) noexcept { delete &gate; }

    // Before the first job of a pool: that pool's end gives up those who wait here.
    void enrol(PoolCore& core);
    void close() noexcept;
    bool is_closed() const noexcept { return closed_.load(std::memory_order_relaxed); }

    void* const owner;
    Gate<DefaultAtomics, GatedJobs> protocol;

  private:
    ~PermitGate() = default;

    struct Home {
        TaskHome* home;
        std::uint32_t serial;
    };

    void (*const end_)(void*) noexcept;
    std::atomic<std::uint32_t> references_{1};
    std::atomic<bool> closed_{false};
    std::atomic<std::uint64_t> last_enrolled_{0};  // serial of that pool
    std::mutex homes_mutex_;
    std::vector<Home> homes_;
};

}  // namespace quarry::impl
