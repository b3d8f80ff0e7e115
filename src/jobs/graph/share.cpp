// How the threads of a run share what is ready, and call others.
#include <algorithm>
#include <mutex>
#include <new>

#include "jobs/graph/parallel_run.hpp"
#include "jobs/os/os.hpp"
#include "jobs/parking/sleep.hpp"

namespace quarry::impl {

// Heavy nodes are never hidden: whoever takes part finds them, and as many workers are called as can be of use.
void ParallelRun::share_heavy(Participant& me) {
    if (me.heavy == kNoNode) return;
    std::uint32_t calls = 0;
    {
        const std::lock_guard lock(lock_);
        while (me.heavy != kNoNode) {
            const std::uint32_t index = me.heavy;
            me.heavy = core_.hot[index].next;
            push_heavy(index);
        }
        const auto waiting = static_cast<std::uint32_t>(core_.shared.heap.size());
        const std::uint32_t taken_care_of = (me.own.empty() ? 1 : 0) + coming_ + idle_;
        changes_.store(changes_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        if (me.may_spawn && waiting > taken_care_of && participants_ < most_) {
            calls = std::min(waiting - taken_care_of, most_ - participants_);
            participants_ += calls;
            coming_ += calls;
            helpers_ += calls;
        }
    }
    if (calls != 0) call_helpers(calls);
}

// Whether half of the light nodes take longer than handing them over does. Very short ones are not worth it, however
// many they are: what they touch would have to come from the other processor's cache.
bool ParallelRun::is_worth_offering(const Participant& me, std::uint64_t nanoseconds) const noexcept {
    constexpr std::uint64_t kLeastNanoseconds = 100;
    const std::uint64_t each = core_.shares_readings ? me.average : (me.now - me.entered) / me.nodes_run;
    if (each * 1000 < kLeastNanoseconds * os::ticks_per_microsecond()) return false;
    return me.own.size() / 2 * each * 1000 > nanoseconds * os::ticks_per_microsecond();
}

// Somebody in the pool is hungry: gives away half of the light nodes, two at least, if that is worth it.
void ParallelRun::offer_light(Participant& me) {
    constexpr std::uint64_t kStealingNanoseconds = 2'000;
    constexpr std::uint64_t kWakingNanoseconds = 20'000;
    if (me.now < me.next_offer) return;
    me.next_offer = me.now + os::ticks_per_microsecond();
    const std::int64_t word = current_context->hunger->load(std::memory_order_relaxed);
    const bool awake = Sleep<DefaultAtomics>::searching(word) > 0;
    if (!is_worth_offering(me, awake ? kStealingNanoseconds : kWakingNanoseconds)) return;
    {
        const std::lock_guard lock(lock_);
        if (participants_ >= most_ || !core_.shared.bundles.empty()) return;
        core_.shared.bundles.push_back(split_off_half(me.own, core_.hot));
        ++participants_;
        ++coming_;
        ++helpers_;
    }
    call_helpers(1);
}

// Somebody who takes part has nothing to run, and this thread two light nodes at least.
void ParallelRun::give_to_idle(Participant& me) {
    constexpr std::uint64_t kGivingNanoseconds = 500;
    if (!is_worth_offering(me, kGivingNanoseconds)) return;
    const std::lock_guard lock(lock_);
    if (idle_ == 0 || !core_.shared.bundles.empty()) return;
    core_.shared.bundles.push_back(split_off_half(me.own, core_.hot));
    changes_.store(changes_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void ParallelRun::call_helpers(std::uint32_t count) {
    if (alone_) alone_ = false;  // only the caller, and only while nobody else takes part
    for (; count != 0; --count) {
        try {
            scope_->spawn([this] {
                {
                    const std::lock_guard lock(lock_);
                    --coming_;
                }
                Participant helper(true);
                take_part(helper);
            });
        } catch (const std::bad_alloc&) {
            const std::lock_guard lock(lock_);
            participants_ -= count;
            coming_ -= count;
            return;
        }
    }
}

}  // namespace quarry::impl
