#pragma once

#include <optional>
#include <string>

namespace quarry::impl {

// How many CPUs' worth of time the control groups of this process grant it, rounded up: the smallest quota
// between the process's own group and the root, in version 1 and 2 of the hierarchy. Nothing when there is no
// limit. What cannot be read or understood sets no limit. The root is "" but for tests, where the files of
// /proc and /sys lie under it.
std::optional<int> cgroup_cpu_limit(const std::string& file_system_root);

}  // namespace quarry::impl
