#pragma once

#include <nlohmann/json.hpp>

#include "tools/cpu_supply.hpp"

namespace quarry::app {

inline nlohmann::ordered_json cpu_json(const CpuShares& cpu) {
    return {{"own", cpu.own},
            {"others", cpu.others},
            {"stolen", cpu.stolen},
            {"idle", cpu.idle},
            {"short", cpu.is_short()}};
}

}  // namespace quarry::app
