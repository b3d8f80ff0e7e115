#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "jobs/task/node.hpp"
#include "jobs/worker/steal_pace.hpp"
#include "jobs/worker/turns.hpp"
#include "quarry/jobs/lane.hpp"

namespace quarry::impl {

class Worker;

// Where a worker looks for its next job: search.cpp begins with the order.
class Search {
  public:
    explicit Search(Worker& me) noexcept;
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;

    // Other workers, nearest group first.
    void set_victims(std::vector<std::vector<Worker*>> victims) noexcept { victims_ = std::move(victims); }

    // Between two jobs: what the worker has itself, and what is important or due. Null: it is idle.
    Node* next();
    // One look at what others have, by an idle worker.
    Node* elsewhere();
    // The same just after it was woken: most likely for something in the lane's queue, and the rest of the pool is
    // cold.
    Node* in_lane_queue();
    // Whether the worker may go on with a continuation of that lane, which is its own: nobody is passed over. If it
    // does:
    bool may_go_on(Lane lane) noexcept;
    void goes_on_in(Lane lane) noexcept { turns_.found_in(lane); }

    // Ticks of the clock until which an idle worker stays away from other workers' queues.
    std::uint64_t away_until() noexcept { return pace_.away_until(); }

  private:
    // Inline: what a worker has itself it finds without a call.
    template <auto... sources>
    Node* first_of(Lane lane);
    bool looks_for_background() const noexcept;
    inline Node* at_hand(Lane lane);
    Node* elsewhere_in(Lane lane);
    Node* passed_over(Lane lane);

    Node* important(Lane lane) noexcept;
    inline Node* own_slot(Lane lane) noexcept;
    inline Node* own_near(Lane lane) noexcept;
    inline Node* own_far(Lane lane) noexcept;
    Node* own_oldest(Lane lane) noexcept;
    Node* unimportant_elsewhere(Lane lane);
    Node* guests(Lane lane);
    Node* others(Lane lane);
    Node* lane_queue(Lane lane) noexcept;
    Node* others_slots(Lane lane) noexcept;

    Node* steal_near(Worker& victim, Lane lane);
    Node* steal_far(Worker& victim, Lane lane) noexcept;
    inline Node* claimed(Lane lane, Node* entry) noexcept;
    void stole_from(Worker& victim, std::size_t jobs) noexcept;
    std::uint32_t random() noexcept;

    Worker& me_;
    Turns turns_;
    std::vector<std::vector<Worker*>> victims_;
    std::uint32_t random_state_;
    StealPace pace_;
};

}  // namespace quarry::impl
