#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "idle_models.hpp"
#include "model_test.hpp"
#include "parking_models.hpp"

// Two crews with counters of their own: a job is never left while a worker sleeps that could take it, under C++'s
// memory model (R14). A lost wake-up shows as a deadlock.
namespace {

using model::Mutant;
using model::Program;
using parking_models::Queue;
using quarry::impl::Mutation;
using Atomics = model::ModelAtomics;

using Crew = model::Crews::Crew;

// One worker a crew: reserved for the frame, and general, which takes background jobs as well. Both search already.
struct State {
    State() {
        for (Crew* const crew : {&crews.reserved, &crews.general}) {
            crew->members.push_back(&members[crew == &crews.general ? 1 : 0]);
            crew->sleep.no_work_found();
        }
    }

    bool named = name();
    model::Crews crews{true};
    std::array<model::Member, 2> members;
    Queue frame;
    Queue background;
    model::ModelAtomic<std::uint32_t> second_taken{0};
    int taken = 0;

    static bool name() {
        model::name_next(
            {"general", "reserved", "io", "hungry", "reserved parker", "general parker", "frame", "background"});
        return true;
    }
    void submit_frame() {
        frame.publish();
        crews.job_queued(quarry::Lane::frame, model::may_wait);
    }
    void submit_background() {
        background.publish();
        crews.job_queued(quarry::Lane::background, model::may_wait);
    }
    bool visible_to(const Crew& crew) const {
        return frame.visible() || (crew.runs_background && background.visible());
    }
    bool find(const Crew& crew) {
        if (!frame.take() && !(crew.runs_background && background.take())) return false;
        ++taken;
        return true;
    }
    struct Idler : model::PlainIdler {
        State& state;
        Crew& crew;
        Idler(State& of, Crew& own) : state(of), crew(own) {}

        bool search() const { return state.find(crew); }
        bool search_after_sleep() const { return state.find(crew); }
        bool work_visible() const { return state.visible_to(crew); }
    };
    void search(Crew& crew) { crews.go_on_idling(crew, crew.members[0]->parker, Idler(*this, crew)); }
    // The first job does not end before the second is taken: with one of two workers asleep, nothing goes on.
    void run() {
        if (taken == 2) {
            second_taken.store(1, parking_models::kRelease);
            Atomics::futex_wake_one(second_taken);
        } else {
            while (second_taken.load(parking_models::kAcquire) == 0) Atomics::futex_wait(second_taken, 0);
        }
    }
};

void both_work(const std::shared_ptr<State>& state) {
    for (Crew* const crew : {&state->crews.reserved, &state->crews.general}) {
        model::thread([=] {
            state->search(*crew);
            state->run();
        });
    }
    model::after([=] { model::require(state->taken == 2, "a job was not taken"); });
}

// The second job of the frame may rely on the reserved worker, which is about to find the first.
void frame_relies_on_the_reserved() {
    auto state = std::make_shared<State>();
    state->frame.publish();
    model::thread([=] { state->submit_frame(); });
    both_work(state);
}

// The reserved worker is busy for ever: nothing but the general one can take the job.
void frame_falls_to_the_general() {
    auto state = std::make_shared<State>();
    (void)state->crews.reserved.sleep.work_found();
    model::thread([=] { state->submit_frame(); });
    model::thread([=] { state->search(state->crews.general); });
}

// A reserved worker that searches is no help to a background job.
void background_falls_to_the_general() {
    auto state = std::make_shared<State>();
    model::thread([=] { state->submit_background(); });
    model::thread([=] { state->search(state->crews.general); });
}

// Two jobs of the frame at once, for one worker of each crew.
void frame_from_two() {
    auto state = std::make_shared<State>();
    for (int i = 0; i < 2; ++i) model::thread([=] { state->submit_frame(); });
    both_work(state);
}

const Program kRelies{"frame_relies_on_the_reserved", frame_relies_on_the_reserved, 2};
const Program kFalls{"frame_falls_to_the_general", frame_falls_to_the_general};
const Program kBackground{"background_falls_to_the_general", background_falls_to_the_general};
const Program kFromTwo{"frame_from_two", frame_from_two, 1};

constexpr auto kDeadlock = "deadlock";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class CrewsModel : public testing::TestWithParam<Program> {};

TEST_P(CrewsModel, LeaveNoJobToSleepers) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, CrewsModel, testing::Values(kRelies, kFalls, kBackground, kFromTwo), kNameOf);

class CrewsMutation : public testing::TestWithParam<Mutant> {};

TEST_P(CrewsMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, CrewsMutation,
                         testing::Values(Mutant{"one_asked", Mutation::crews_one_asked, kFalls, kDeadlock},
                                         Mutant{"others_fence", Mutation::crews_others_fence, kRelies, kDeadlock},
                                         Mutant{"publish_fence", Mutation::sleep_publish_fence, kFalls, kDeadlock},
                                         Mutant{"rely", Mutation::crews_rely, kRelies, kDeadlock},
                                         Mutant{"work_found", Mutation::sleep_work_found, kRelies, kDeadlock}),
                         kNameOf);

}  // namespace
