#pragma once

#include <cstddef>

#include "jobs/parking/sleep.hpp"
#include "model_atomics.hpp"

// What models of idle workers share: the parts of a crew and of an idler that say nothing.
namespace model {

// A crew that is alone. The first so many searches have begun before the model does: fewer states.
struct SoleCrew {
    explicit SoleCrew(std::size_t searching_at_first = 0) : counted(searching_at_first) {
        for (std::size_t i = 0; i < counted; ++i) sleep.no_work_found();
    }

    quarry::impl::Sleep<ModelAtomics> sleep;
    std::size_t counted;

    void no_work_found() {
        if (counted == 0) return sleep.no_work_found();
        --counted;
    }
    [[nodiscard]] bool work_found(bool others_may_sleep) { return sleep.work_found(others_may_sleep); }
};

struct PlainIdler {
    static bool is_over() { return false; }
    static void look_for_end() {}
    static void falls_asleep() {}
    static void is_awake() {}
    static void has_stopped() {}
    static bool others_may_sleep() { return false; }
};

}  // namespace model
