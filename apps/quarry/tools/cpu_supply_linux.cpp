#include "tools/cpu_supply.hpp"

#include <charconv>
#include <fstream>
#include <sstream>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

namespace quarry::app {
namespace {

double seconds_of_timeval(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// "cpu12" -> 12; the line of all processors together has no number.
std::optional<int> processor_number(const std::string& name) {
    int number = 0;
    if (!name.starts_with("cpu")) return std::nullopt;
    const char* const end = name.data() + name.size();
    const auto [stop, failure] = std::from_chars(name.data() + 3, end, number);
    if (failure != std::errc() || stop != end) return std::nullopt;
    return number;
}

}  // namespace

std::optional<CpuTimes> read_cpu_times() {
    cpu_set_t usable;
    CPU_ZERO(&usable);
    if (sched_getaffinity(0, sizeof usable, &usable) != 0) return std::nullopt;
    std::ifstream file("/proc/stat");
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    CpuTimes times;
    bool found = false;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        const std::optional<int> number = processor_number(name);
        if (!number || *number >= CPU_SETSIZE || !CPU_ISSET(*number, &usable)) continue;
        double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft_interrupts = 0, stolen = 0;
        if (!(words >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts >> stolen)) continue;
        times.busy += (user + nice + system + interrupts + soft_interrupts) / ticks;
        times.idle += (idle + waiting) / ticks;
        times.stolen += stolen / ticks;
        found = true;
    }
    if (!found) return std::nullopt;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    times.own = seconds_of_timeval(usage.ru_utime) + seconds_of_timeval(usage.ru_stime);
    return times;
}

}  // namespace quarry::app
