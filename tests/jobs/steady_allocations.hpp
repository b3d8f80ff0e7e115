#pragma once

#include <cstdint>

#include "tests/jobs/counting_allocator.hpp"

namespace quarry::test_support {

struct Rounds {
    int each_time = 20;
    std::uint64_t allowed = 0;  // allocations in as many rounds
};

// How often so many rounds of `work(1)` allocate, once that settles. Before, `work(4)`: how many nodes of jobs each
// thread needs depends on the schedule, so the warm-up has more of them at once.
//
// A schedule that has not been before may still need more: a worker that the system keeps waiting leaves its queue full
// of jobs that whoever waited for them has run. But no more than the queues hold, in blocks of 128 nodes: some eighty
// times at most. So what allocates anew within as many rounds never comes to three times in a row without. Nodes that
// are lost now and then show later, when the stock of them is used up: that is for the tests of bounded memory.
template <class Work>
std::uint64_t allocations_once_warm(Work work, Rounds rounds = {}) {
    constexpr int kMostTimes = 300;
    constexpr int kTimesInARow = 3;
    for (int i = 0; i < rounds.each_time; ++i) work(4);
    std::uint64_t count = 0;
    for (int times = 0, in_a_row = 0; times < kMostTimes && in_a_row < kTimesInARow; ++times) {
        const std::uint64_t before = allocation_count();
        for (int i = 0; i < rounds.each_time; ++i) work(1);
        count = allocation_count() - before;
        in_a_row = count <= rounds.allowed ? in_a_row + 1 : 0;
    }
    return count;
}

}  // namespace quarry::test_support
