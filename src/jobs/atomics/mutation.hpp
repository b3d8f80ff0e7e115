#pragma once

namespace quarry::impl {

// The places where a protocol can be broken on purpose. Each one is a memory order that matters or a step
// that must not be left out; the model checker switches one on at a time and must find the failure it causes.
enum class Mutation {
    none,
    claim_without_exchange,
    claim_sole_acquire,
    claim_release,
    completion_list,
    completion_take,
    completion_finish,
    completion_done,
    latch_is_set,
    latch_set,
    parker_notify,
    parker_notify_without_wake,
    parker_consume_by_store,
    sleep_announce,
    sleep_recheck,
    sleep_publish_fence,
    sleep_last_searcher,
    slot_put,
    slot_put_without_exchange,
    slot_take,
    deque_batch_recheck,
    deque_grow_copy,
    deque_grow_publish,
    deque_pop_exchange,
    deque_pop_fence,
    deque_pop_lower,
    deque_pop_restore,
    deque_push_full,
    deque_push_publish,
    deque_push_refresh,
    deque_steal_bottom,
    deque_steal_buffer,
    deque_steal_exchange,
    deque_steal_top,
};

}  // namespace quarry::impl
