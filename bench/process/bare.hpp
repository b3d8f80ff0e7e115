#pragma once

#include <cstdint>

namespace quarry::bench {

// The least that two processes need for it: a forked child and a page of shared memory, without any engine.

// Millions of jobs a second through a pair of plain rings, each side spinning.
double bare_rings(int jobs);
// Microseconds there and back, the other side spinning or asleep in a futex; the median.
double bare_there_and_back(int rounds, bool parked);
// Microseconds of one copy of so many bytes; the median.
double bare_copy(std::size_t bytes, int rounds);
// Milliseconds to start the program and have it say a word.
double bare_start(int rounds);

}  // namespace quarry::bench
