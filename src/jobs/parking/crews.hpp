#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "jobs/parking/parker.hpp"
#include "jobs/parking/sleep.hpp"
#include "quarry/jobs/impl/atomics.hpp"
#include "quarry/jobs/lane.hpp"

// Who sleeps and who is woken: all of it is decided here, for the engine and for the models. See README.md.
namespace quarry::impl {

// Whether the thread that wakes another one is known to have work of its own to go on with.
enum class WakerGoesOn { no, yes };

// Workers that may run the same lanes, and so can stand in for each other: a job needs one of them to be awake.
//
// The appetite of a crew's word counts what the lanes it stands for can use. With workers reserved for the frame that
// of the frame is kept in their word: it counts the idle workers of both crews, those who could take a piece of frame
// work.
//
// Member: parker; steer_away_from_caller(), before it is woken by a thread that goes on; was_woken().
template <class Policy, class Member>
struct Crew {
    Sleep<Policy> sleep;
    std::vector<Member*> members;
    bool runs_background = false;
    Lane first_lane = Lane::frame;
    Crew* also_hungry_in = nullptr;

    void no_work_found() noexcept {
        sleep.no_work_found();
        if (also_hungry_in != nullptr) also_hungry_in->sleep.add_appetite(1);
    }
    // As Sleep::work_found.
    [[nodiscard]] bool work_found(bool others_may_sleep) noexcept {
        if (also_hungry_in != nullptr) also_hungry_in->sleep.add_appetite(-1);
        return sleep.work_found(others_may_sleep);
    }

    // Wakes the first member that sleeps, unless one searches. True: one was woken.
    bool wake_one(WakerGoesOn waker_goes_on, bool even_if_searching = false) noexcept {
        if (members.empty()) return false;
        return sleep.wake_one(
            members.size(), 0,
            [&](std::size_t i) {
                return Sleeper{*members[i], waker_goes_on};
            },
            even_if_searching);
    }

  private:
    // A member as Sleep::wake_one sees it.
    struct Sleeper {
        Member& member;
        WakerGoesOn waker_goes_on;

        // Steers before the sleeper can go on, so that it sees that it was; one that another waker gets finds out as
        // well.
        bool try_pick() const noexcept {
            if (waker_goes_on == WakerGoesOn::yes && member.parker.is_sleeping()) member.steer_away_from_caller();
            return member.parker.try_pick();
        }
        void wake() const noexcept {
            member.parker.wake();
            member.was_woken();
        }
    };
};

// Who is to take a job that was just published.
enum class Taker : std::uint8_t {
    searcher,  // one that is awake will find it
    woken,     // a sleeper was woken for it
    riser,     // one that slept a moment ago has got up by itself, or another thread has woken it
    waiter,    // all of the crew are busy; somebody who sleeps in a wait may want to help
    nobody     // all are busy
};
struct Told {
    Taker taker;
    std::int64_t word;  // the counters of the crew that was asked last
};

template <class Policy, class Member>
class Crews {
  public:
    using Crew = impl::Crew<Policy, Member>;
    using Counters = Sleep<Policy>;

    explicit Crews(bool some_are_reserved) noexcept : some_are_reserved_(some_are_reserved) {
        general.runs_background = true;
        if (some_are_reserved) general.also_hungry_in = &reserved;
        io.first_lane = Lane::io;
    }
    Crews(const Crews&) = delete;
    Crews& operator=(const Crews&) = delete;

    // A job of that lane was published before this call: wakes a sleeper unless a searcher is awake. Reserved workers
    // are asked first. waker_goes_on(): asked only if somebody is woken.
    template <class GoesOn>
    Told job_queued(Lane lane, GoesOn waker_goes_on) noexcept {
        Crew& last = lane == Lane::io ? io : general;
        std::int64_t word = 0;
        if (both_take(lane)) {
            word = reserved.sleep.new_job();
            if (Counters::searching(word) != 0) return {Taker::searcher, word};
            const bool all_are_busy = Policy::check(Mutation::crews_one_asked, Counters::sleeping(word) == 0);
            if (!all_are_busy) return {wake_one(reserved, waker_goes_on()), word};
            word = last.sleep.counters();  // the fence that new_job() has passed stands for both
        } else {
            word = last.sleep.new_job();
        }
        if (Counters::searching(word) != 0) return {Taker::searcher, word};
        if (Counters::sleeping(word) != 0) return {wake_one(last, waker_goes_on()), word};
        return {Counters::appetite(word) > 0 ? Taker::waiter : Taker::nobody, word};
    }

    // A piece of private work was published before this call: wakes a sleeper only if there is a core for it. The owner
    // goes on with the rest.
    Told job_offered(Lane lane) noexcept {
        Crew& hungry = hungry_in(lane);
        const std::int64_t word = hungry.sleep.new_job();
        const std::int64_t other = both_take(lane) ? general.sleep.counters() : 0;
        if (Counters::searching(word) + Counters::searching(other) != 0) return {Taker::searcher, word};
        if (Counters::appetite(word) <= 0) return {Taker::nobody, word};
        if (Counters::sleeping(word) + Counters::sleeping(other) == 0) return {Taker::waiter, word};
        const bool woken = hungry.wake_one(WakerGoesOn::yes) || (both_take(lane) && general.wake_one(WakerGoesOn::yes));
        // If nobody is woken the same counters will mean a sleeper again.
        return {woken ? Taker::woken : Taker::riser, word};
    }

    // What a worker does whose own queues are empty: it searches, and sleeps where there is nothing, until it has found
    // a job or the pool has ended. Idler:
    //   search(), search_after_sleep()   a job, or null
    //   is_over()                        the pool has ended
    //   announced()                      it will sleep: count_hungry_sleep(), Drain::look
    //   work_visible()                   sequentially consistent
    //   falls_asleep(), is_awake(), has_stopped()
    template <class Idler>
    auto idle(Crew& crew, Parker<Policy>& parker, Idler&& idler) {
        crew.no_work_found();
        return go_on_idling(crew, parker, idler);
    }
    // For one that is counted as a searcher already.
    template <class Idler>
    auto go_on_idling(Crew& crew, Parker<Policy>& parker, Idler&& idler) {
        auto found = idler.search();
        while (!found && !idler.is_over()) {
            idler.falls_asleep();
            crew.sleep.sleep(parker, [&] {
                idler.announced();
                return idler.work_visible();
            });
            idler.is_awake();
            found = idler.search_after_sleep();
        }
        idler.has_stopped();
        if (crew.work_found(others_rely_on(crew))) replace_last_searcher(crew, idler);
        return found;
    }

    // The end has come, and was published before this call.
    void wake_all() noexcept {
        for (Crew* const crew : {&general, &reserved, &io}) {
            crew->sleep.wake_all([&] { return crew->wake_one(WakerGoesOn::no, true); });
        }
    }

    // The crew whose word counts the appetite for private work of that lane.
    Crew& hungry_in(Lane lane) noexcept {
        if (lane == Lane::io) return io;
        return both_take(lane) ? reserved : general;
    }
    // A guest that computes takes a core from all private work.
    void add_guest_appetite(std::int64_t change) noexcept {
        general.sleep.add_appetite(change);
        if (some_are_reserved_) reserved.sleep.add_appetite(change);
    }

    // How often a thread has gone to sleep that could use something to do. Whoever counts itself has said before that
    // it sleeps; whoever reads this looks afterwards for those who do.
    std::uint64_t hungry_sleeps() const noexcept { return hungry_sleeps_.load(std::memory_order_relaxed); }
    void count_hungry_sleep() noexcept {
        Policy::step(Mutation::crews_hungry_sleep, [this] { hungry_sleeps_.fetch_add(1, std::memory_order_seq_cst); });
    }

    // After job_queued or job_offered has answered `waiter`. wake_waiter(): wakes somebody who sleeps in a wait that
    // the job belongs to, and says whether there was one; else the owner of the job is patient as long as these
    // counters stay. A waiter that goes to sleep after this look counts itself, which ends the owner's patience.
    template <class Patience, class WakeWaiter>
    bool wake_waiter_or_note(Patience& patience, std::int64_t word, WakeWaiter wake_waiter) noexcept {
        patience.look(hungry_sleeps());
        Policy::fence(Mutation::crews_waiter_fence, std::memory_order_seq_cst);
        if (wake_waiter()) return true;
        patience.nobody_can_take_it(word);
        return false;
    }

    Crew general;
    Crew reserved;  // for the frame
    Crew io;

  private:
    bool both_take(Lane lane) const noexcept { return lane == Lane::frame && some_are_reserved_; }
    // Whether a job may have relied on a searcher of this crew although one of another crew could take it.
    bool others_rely_on(const Crew& crew) const noexcept { return &crew == &reserved; }

    static Taker wake_one(Crew& crew, WakerGoesOn waker_goes_on) noexcept {
        return crew.wake_one(waker_goes_on) ? Taker::woken : Taker::riser;
    }

    // The last searcher of a crew stops, because it has found work: it wakes one of its own crew if there is more, or
    // one of the crew that relied on it.
    template <class Idler>
    void replace_last_searcher(Crew& crew, Idler& idler) noexcept {
        if (!idler.work_visible()) return;
        if (crew.wake_one(WakerGoesOn::yes) || !Policy::check(Mutation::crews_rely, others_rely_on(crew))) return;
        // The order that work_found() gives is that of its own crew's word only.
        Policy::fence(Mutation::crews_others_fence, std::memory_order_seq_cst);
        general.wake_one(WakerGoesOn::yes);
    }

    const bool some_are_reserved_;
    alignas(128) typename Policy::template Atomic<std::uint64_t> hungry_sleeps_{0};
};

}  // namespace quarry::impl
