#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "tools/cpu_work.hpp"

namespace quarry::app {

// Whether deliveries kept to their budget, in CPU time of the host's thread: what others do on its core is not theirs.
struct DeliveryFigures {
    // A delivery reads clocks and keeps order on top of what its items take.
    static constexpr std::chrono::nanoseconds kSlack = std::chrono::microseconds(100);

    std::uint64_t deliveries = 0;             // that had something to deliver
    std::uint64_t over = 0;                   // beyond the budget by more than the last item took
    std::chrono::nanoseconds worst_excess{};  // over the budget without the last item, at most; negative: under it
    std::chrono::nanoseconds worst_wall{};    // over the budget altogether, by the wall clock, at most
    std::uint64_t carried_over = 0;           // items, summed up over the deliveries
};

// Measures one delivery.
class DeliveryWatch {
  public:
    explicit DeliveryWatch(std::chrono::nanoseconds budget) : budget_(budget), start_(thread_cpu_time()) {}

    template <class Item>
    void item(Item&& work) {
        const std::chrono::nanoseconds start = thread_cpu_time();
        work();
        last_item_ = thread_cpu_time() - start;
    }

    // Of a delivery that had items. `overrun` is by the wall clock.
    void add_to(DeliveryFigures& figures, std::chrono::nanoseconds overrun, std::uint64_t carried_over) const {
        const std::chrono::nanoseconds excess = thread_cpu_time() - start_ - last_item_ - budget_;
        const bool first = figures.deliveries++ == 0;
        figures.worst_excess = first ? excess : std::max(figures.worst_excess, excess);
        figures.worst_wall = std::max(figures.worst_wall, overrun);
        if (excess > DeliveryFigures::kSlack) ++figures.over;
        figures.carried_over += carried_over;
    }

  private:
    std::chrono::nanoseconds budget_;
    std::chrono::nanoseconds start_;
    std::chrono::nanoseconds last_item_{};
};

}  // namespace quarry::app
