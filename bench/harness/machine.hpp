#pragma once

#include <string>

namespace quarry::bench {

struct Machine {
    std::string cpu;
    int cores;  // usable ones
    std::string simd;
};

Machine describe_machine();

}  // namespace quarry::bench
