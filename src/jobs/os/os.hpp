#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/jobs/ext/fork.hpp"
#include "quarry/jobs/ext/sleep.hpp"
#include "quarry/jobs/ext/thread_name.hpp"
#include "quarry/jobs/impl/ticks.hpp"

// What is tied to an operating system or a processor, behind one small interface (os_linux.cpp implements it,
// and what layers that stand on jobs may use of it, in quarry/jobs/ext).
namespace quarry::impl::os {

using ::quarry::ext::around_fork;
using ::quarry::ext::fork_generation;  // its first call is the pools'; a fork also forgets that the thread is a worker
using ::quarry::ext::thread_name;
using ::quarry::impl::cpu_relax;
using ::quarry::impl::ticks;

void yield_thread() noexcept;

// Where a thread may run. Some kernels, virtual machines' above all, put a woken thread on the CPU of the one that woke
// it and leave it waiting there for milliseconds while another CPU idles. A waker that goes on computing can avoid it.
//
// A thread is steered only while it rests, and works on all its CPUs: whoever steers looks afterwards whether the rest
// has ended meanwhile, and if so lifts the restriction; whoever ends a rest looks afterwards whether somebody steers.
// Both write first and look second, sequentially consistently, so one of the two sees the other.
class Placement {
  public:
    // On the thread itself: from now on it can be steered.
    void adopt_calling_thread() noexcept;
    // On the thread itself, when it has nothing to do, and when it has something again.
    void rest_begins() noexcept;
    void rest_ends() noexcept;
    // Any thread, just before it wakes this one: if it rests it will start on another CPU than the caller's.
    void steer_away_from_caller() noexcept;

  private:
    void allow_all(int thread) noexcept;

    std::atomic<int> thread_{0};           // the system's number; 0: cannot be steered
    std::atomic<std::uint32_t> rests_{0};  // begun and ended: odd while it rests
    std::atomic<bool> steered_{false};
    std::vector<unsigned long> allowed_;
};
QUARRY_API void set_thread_name(const std::string& name) noexcept;  // shortened to what the system allows
std::string process_name();
long process_number() noexcept;

// The CPUs that the calling thread, and the threads it makes, may run on: system numbers in rising order,
// never empty.
std::vector<int> affinity_cpus();
// CPUs this process may use: the affinity mask, cut by the cgroup CPU quota (rounded up); at least 1.
int usable_cpus();
// The same with another root for the cgroup and proc files, for tests. affinity <= 0: ask the system.
int usable_cpus(const std::string& file_system_root, int affinity);

// From now on calls `call` in every forked child.
void after_fork_in_child(void (*call)()) noexcept;

// The cheap clock and the system's one at the same moment.
struct ClockPair {
    std::uint64_t ticks;
    std::uint64_t nanoseconds;
};
ClockPair read_clocks() noexcept;

// Measured once a process, in about 100 us.
QUARRY_API std::uint64_t ticks_per_microsecond() noexcept;  // other layers call it too

}  // namespace quarry::impl::os
