#pragma once

namespace quarry::impl {

// The places where a protocol can be broken on purpose. Each one is a memory order that matters or a step
// that must not be left out; the model checker switches one on at a time and must find the failure it causes.
enum class Mutation {
    none,
    deque_batch_recheck,
    deque_empty_bottom,
    deque_grow_copy,
    deque_grow_publish,
    deque_pop_exchange,
    deque_pop_fence,
    deque_pop_lower,
    deque_push_entry,
    deque_push_full,
    deque_push_publish,
    deque_push_refresh,
    deque_steal_bottom,
    deque_steal_buffer,
    deque_steal_entry,
    deque_steal_exchange,
    deque_steal_top,
    queue_empty_tail,
    queue_pop_acquire,
    queue_pop_claim,
    queue_pop_release,
    queue_push_acquire,
    queue_push_claim,
    queue_push_publish,
};

}  // namespace quarry::impl
