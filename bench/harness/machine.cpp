#include "harness/machine.hpp"

#include <fstream>

#include <quarry/jobs/pool.hpp>

namespace quarry::bench {
namespace {

std::string widest_simd() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return "avx512";
    if (__builtin_cpu_supports("avx2")) return "avx2";
    if (__builtin_cpu_supports("sse4.2")) return "sse4";
    return "sse2";
#elif defined(__aarch64__)
    return "neon";
#else
    return "none";
#endif
}

std::string cpu_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name")) {
            const std::size_t colon = line.find(": ");
            if (colon != std::string::npos) return line.substr(colon + 2);
        }
    }
    return "unknown";
}

}  // namespace

Machine describe_machine() {
    return {cpu_name(), Pool().worker_count(), widest_simd()};
}

}  // namespace quarry::bench
