#pragma once

#include <vector>

#include "jobs/parking/sleep.hpp"
#include "quarry/jobs/lane.hpp"

namespace quarry::impl {

class Worker;

// Workers that may run the same lanes, and so can stand in for each other: a job needs one of them to be awake.
//
// The appetite of a crew's word counts what the lanes it stands for can use. With workers reserved for the frame that
// of the frame is kept in their word: it counts the idle workers of both crews, those who could take a piece of frame
// work.
struct Crew {
    Sleep<DefaultAtomics> sleep;
    std::vector<Worker*> members;
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
};

}  // namespace quarry::impl
