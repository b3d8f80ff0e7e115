#pragma once

#include <cstddef>

#include "jobs/parking/crews.hpp"
#include "jobs/parking/parker.hpp"
#include "model_atomics.hpp"
#include "quarry/jobs/lane.hpp"

// What models of idle workers share: workers that do nothing but sleep, and the parts of an idler that say nothing.
namespace model {

struct Member {
    quarry::impl::Parker<ModelAtomics> parker;

    static void steer_away_from_caller() {}
    static void was_woken() {}
};
using Crews = quarry::impl::Crews<ModelAtomics, Member>;

inline quarry::impl::WakerGoesOn may_wait() {
    return quarry::impl::WakerGoesOn::no;
}

// The crews of a pool of which one works.
struct SoleCrew {
    void add(Member& member) { crew.members.push_back(&member); }
    // Its first search has begun before the model does: fewer states.
    void add_searching(Member& member) {
        add(member);
        crew.no_work_found();
        ++counted;
    }

    Crews crews{false};
    std::size_t counted = 0;
    Crews::Crew& crew = crews.general;
    quarry::impl::Sleep<ModelAtomics>& sleep = crew.sleep;

    // A job was published.
    quarry::impl::Told queued() { return crews.job_queued(quarry::Lane::background, may_wait); }
    template <class Idler>
    auto idle(Member& self, Idler&& idler) {
        if (counted == 0) return crews.idle(crew, self.parker, idler);
        --counted;
        return crews.go_on_idling(crew, self.parker, idler);
    }
};

struct PlainIdler {
    static bool is_over() { return false; }
    static void announced() {}
    static void falls_asleep() {}
    static void is_awake() {}
    static void has_stopped() {}
};

}  // namespace model
