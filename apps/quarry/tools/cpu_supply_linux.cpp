#include "tools/cpu_supply.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

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

double used_by(int whom) {
    rusage usage{};
    getrusage(whom, &usage);
    return seconds_of_timeval(usage.ru_utime) + seconds_of_timeval(usage.ru_stime);
}

// Of one child's line in /proc, "number (name) state parent ...": the name may hold anything.
double used_by_child(const std::string& line, double ticks) {
    const std::size_t name_end = line.rfind(')');
    if (name_end == std::string::npos) return 0;
    std::istringstream words(line.substr(name_end + 1));
    std::string state;
    int parent = 0;
    if (!(words >> state >> parent) || parent != getpid()) return 0;
    std::string skipped;
    for (int field = 5; field < 14; ++field) words >> skipped;
    double user = 0;
    double system = 0;
    return words >> user >> system ? (user + system) / ticks : 0;
}

// Worker processes that have not ended; of those that have, the system keeps the sum.
double used_by_living_children(double ticks) {
    double seconds = 0;
    std::error_code failure;
    for (std::filesystem::directory_iterator each("/proc", failure), end; !failure && each != end;
         each.increment(failure)) {
        if (each->path().filename().native().find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream file(each->path() / "stat");
        std::string line;
        if (std::getline(file, line)) seconds += used_by_child(line, ticks);
    }
    return seconds;
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
    times.own = used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN) + used_by_living_children(ticks);
    return times;
}

}  // namespace quarry::app
