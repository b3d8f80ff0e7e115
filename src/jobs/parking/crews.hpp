#pragma once

#include <cstdint>

#include "jobs/atomics/policy.hpp"
#include "jobs/parking/sleep.hpp"

// Who is woken when a job can be taken by workers of two crews, each with its own counters. See README.md.
namespace quarry::impl {

template <class Policy>
struct CrewToWake {
    Sleep<Policy>* crew;  // null: nobody needs to be woken
    bool all_are_busy;    // nobody searches and nobody sleeps
    std::int64_t word;    // the counters of the crew that was looked at last
};

// A job was published before this call. reserved: the crew that is asked first, null if there is none that may take
// the job.
template <class Policy>
CrewToWake<Policy> crew_for_new_job(Sleep<Policy>* reserved, Sleep<Policy>& general) noexcept {
    using Counters = Sleep<Policy>;
    std::int64_t word = 0;
    if (reserved != nullptr) {
        word = reserved->new_job();
        if (Counters::searching(word) != 0) return {nullptr, false, word};
        if (Counters::sleeping(word) != 0 || Policy::mutated(Mutation::crews_one_asked)) return {reserved, false, word};
        word = general.counters();  // the fence that new_job() has passed stands for both
    } else {
        word = general.new_job();
    }
    if (Counters::searching(word) != 0) return {nullptr, false, word};
    if (Counters::sleeping(word) != 0) return {&general, false, word};
    return {nullptr, true, word};
}

// Whom an owner of private work wakes for a piece that it has just offered.
enum class OfferTo : std::uint8_t {
    searcher,  // nobody: one that is awake will find it
    sleeper,
    waiter,  // somebody who sleeps in a wait and could help, if there is one
    nobody   // all cores are busy
};
struct Offer {
    OfferTo to;
    std::int64_t word;  // the counters of the crew that was asked
};

// hungry: the crew whose appetite counts. also: another one whose workers may take the piece, or null.
template <class Policy>
Offer offer_to(Sleep<Policy>& hungry, const Sleep<Policy>* also) noexcept {
    using Counters = Sleep<Policy>;
    const std::int64_t word = hungry.new_job();
    const std::int64_t other = also == nullptr ? 0 : also->counters();
    if (Counters::searching(word) + Counters::searching(other) != 0) return {OfferTo::searcher, word};
    if (Counters::appetite(word) <= 0) return {OfferTo::nobody, word};
    const bool one_sleeps = Counters::sleeping(word) + Counters::sleeping(other) != 0;
    return {one_sleeps ? OfferTo::sleeper : OfferTo::waiter, word};
}

// The last searcher of a crew stops, because it has found work. wake_own() and wake_others() wake one of its own crew,
// and one of the crew that relied on it; they say whether they did.
template <class Policy, class WorkVisible, class WakeOwn, class WakeOthers>
void replace_last_searcher(bool others_relied, WorkVisible work_visible, WakeOwn wake_own,
                           WakeOthers wake_others) noexcept {
    if (!work_visible()) return;
    if (wake_own() || !others_relied || Policy::mutated(Mutation::crews_rely)) return;
    // The order that work_found() gives is that of its own crew's word only.
    if (!Policy::mutated(Mutation::crews_others_fence)) Policy::fence(std::memory_order_seq_cst);
    wake_others();
}

}  // namespace quarry::impl
