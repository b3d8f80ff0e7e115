#include "bake/memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include <sys/resource.h>

namespace quarry::app {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

// "max" and files that are not there are no number.
std::optional<std::uint64_t> number_in(const std::string& path) {
    std::ifstream file(path);
    std::uint64_t number = 0;
    if (file >> number) return number;
    return std::nullopt;
}

std::uint64_t of_the_machine() {
    std::ifstream file("/proc/meminfo");
    for (std::string name; file >> name;) {
        std::uint64_t kilobytes = 0;
        if (name == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return kUnknown;
}

// The limits of this process's control group (version 2) and of those around it.
std::uint64_t of_the_group() {
    std::ifstream file("/proc/self/cgroup");
    std::string line;
    while (std::getline(file, line) && !line.starts_with("0::")) line.clear();
    if (line.empty()) return kUnknown;
    std::uint64_t least = kUnknown;
    for (std::string group = line.substr(3); !group.empty(); group.resize(group.rfind('/'))) {
        const std::string folder = "/sys/fs/cgroup" + group;
        const std::optional<std::uint64_t> most = number_in(folder + "/memory.max");
        const std::uint64_t used = number_in(folder + "/memory.current").value_or(0);
        if (most) least = std::min(least, *most - std::min(*most, used));
        if (group == "/") break;
    }
    return least;
}

std::uint64_t of_the_address_space() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnknown;
    const std::uint64_t pages = number_in("/proc/self/statm").value_or(0);
    constexpr std::uint64_t kPage = 4096;
    return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, pages * kPage);
}

}  // namespace

std::uint64_t free_memory() {
    return std::min({of_the_machine(), of_the_group(), of_the_address_space()});
}

std::uint64_t peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace quarry::app
