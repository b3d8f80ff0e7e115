#include "tools/cpu_supply.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace quarry::app {
namespace {

// What the system's own threads take of an idle machine is less.
constexpr double kDisturbing = 0.05;
constexpr double kNothingLeft = 0.10;
// So much disturbs also where time is left on the average.
constexpr double kHeavy = 0.25;

}  // namespace

bool CpuShares::is_short() const {
    const double taken = others + stolen;
    return taken > kHeavy || (taken > kDisturbing && idle < kNothingLeft);
}

std::string CpuShares::taken_text() const {
    std::string text = fmt::format("other processes had {:.0f} % of the CPU time", others * 100);
    if (stolen >= 0.005) text += fmt::format(", the machine's host {:.0f} %", stolen * 100);
    return text;
}

CpuShares shares_between(const CpuTimes& before, const CpuTimes& after) {
    const double own = std::max(0.0, after.own - before.own);
    const double others = std::max(0.0, after.busy - before.busy - own);
    const double stolen = std::max(0.0, after.stolen - before.stolen);
    const double idle = std::max(0.0, after.idle - before.idle);
    const double all = own + others + stolen + idle;
    if (all <= 0) return {};
    return {own / all, others / all, stolen / all, idle / all};
}

}  // namespace quarry::app
