#include "jobs/pool/host_lane.hpp"

#include <string>

#include "quarry/jobs/error.hpp"

namespace quarry::impl {

void HostLane::require_this_thread(const char* call) const {
    if (is_this_thread()) return;
    throw Error(std::string(call) +
                " is for the host's thread: the one that made the pool, or called adopt_host_thread");
}

Node* HostLane::take() noexcept {
    for (;;) {
        const bool others_first = turns_.others_are_due();
        Node* node = others_first ? nullptr : queue_.take_important();
        if (node != nullptr) {
            turns_.took_important();
        } else {
            if (turns_.take(queue_, Lane::host, &node, 1) == 0 && others_first) node = queue_.take_important();
            turns_.others_had_their_turn();
        }
        if (node == nullptr || node->claim.try_claim()) return node;
        release(node);
    }
}

}  // namespace quarry::impl
