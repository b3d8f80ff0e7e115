#pragma once

#include <string>
#include <vector>

// Which workers are near each other. Workers are not pinned: worker i is taken to run on the i-th usable CPU.
namespace quarry::impl {

// The other workers in groups, the nearest group first: those that share the second-level cache with
// `worker`, then the third-level cache, the NUMA node, the package, and all the rest. Empty groups are left
// out. Where the machine's topology is unknown or does not matter (fewer than 3 workers) it is one group.
// Safe to call from any thread; the topology is read once a process, which takes milliseconds, at the first
// call that needs it.
std::vector<std::vector<int>> victim_groups(int worker, int worker_count);

// The same on a machine described in hwloc's words, such as "pack:2 l3:2 core:4 pu:2". Throws quarry::Error
// when the description is wrong, or when Quarry was built without hwloc.
std::vector<std::vector<int>> victim_groups_on(const std::string& description, int worker, int worker_count);

}  // namespace quarry::impl
