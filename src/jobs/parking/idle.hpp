#pragma once

#include "jobs/atomics/policy.hpp"
#include "jobs/parking/parker.hpp"

namespace quarry::impl {

// What a worker does whose own queues are empty: it searches, and sleeps where there is nothing, until it has found a
// job or the pool has ended. See README.md.
//
// Crew: no_work_found(), work_found(others_may_sleep), sleep (a Sleep). Idler:
//   search(), search_after_sleep()   a job, or null
//   is_over()                        the pool has ended
//   look_for_end()                   Drain::look
//   work_visible()                   sequentially consistent
//   falls_asleep(), is_awake(), has_stopped()
//   others_may_sleep()               workers of another crew have relied on a searcher of this one
//   was_last_searcher()              replace_last_searcher
template <class Policy, class Crew, class Idler>
auto idle_until_work(Crew& crew, Parker<Policy>& parker, Idler&& idler) {
    crew.no_work_found();
    auto found = idler.search();
    while (!found && !idler.is_over()) {
        idler.falls_asleep();
        crew.sleep.sleep(parker, [&] {
            idler.look_for_end();
            return idler.work_visible();
        });
        idler.is_awake();
        found = idler.search_after_sleep();
    }
    idler.has_stopped();
    if (crew.work_found(idler.others_may_sleep())) idler.was_last_searcher();
    return found;
}

}  // namespace quarry::impl
