#pragma once

#include <optional>
#include <string>

namespace quarry::app {

// CPU time on the processors that this process may use, in seconds since some moment.
struct CpuTimes {
    double own = 0;     // of this process and its children
    double busy = 0;    // of all processes
    double stolen = 0;  // taken by whoever runs this virtual machine
    double idle = 0;
};

// Nothing where the system does not say. Tied to the system: cpu_supply_linux.cpp.
std::optional<CpuTimes> read_cpu_times();

// Who had the processors between two moments, in shares of all their time, 0 to 1.
struct CpuShares {
    double own = 0;
    double others = 0;
    double stolen = 0;
    double idle = 1;

    // Whether others took so much that this process may have had less than it needed.
    bool is_short() const;
    // "other processes had 31 % of the CPU time, the machine's host 4 %"
    std::string taken_text() const;
};

CpuShares shares_between(const CpuTimes& before, const CpuTimes& after);

// From its making on. Where the system does not say, the shares are those of a machine with nothing else to do.
class CpuSupply {
  public:
    CpuSupply() : start_(read_cpu_times()) {}

    CpuShares shares() const {
        const std::optional<CpuTimes> now = read_cpu_times();
        return start_ && now ? shares_between(*start_, *now) : CpuShares{};
    }

  private:
    std::optional<CpuTimes> start_;
};

}  // namespace quarry::app
