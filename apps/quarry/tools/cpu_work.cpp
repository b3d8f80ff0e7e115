#include "tools/cpu_work.hpp"

#include <algorithm>

#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is not in <ctime>

namespace quarry::app {
namespace {

using std::chrono::nanoseconds;

// How long is computed between two looks at the clock, which costs about a microsecond in a virtual machine.
constexpr nanoseconds kSlice = std::chrono::microseconds(100);

void compute(std::uint64_t rounds) noexcept {
    std::uint64_t state = rounds | 1;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // Without this the whole loop would be found to have no effect.
        asm volatile("" : "+r"(state));
    }
}

}  // namespace

nanoseconds thread_cpu_time() noexcept {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

CpuWork CpuWork::calibrate() {
    constexpr std::uint64_t kRounds = 500'000;
    double fastest = 0;
    for (int attempt = 0; attempt < 5; ++attempt) {
        const nanoseconds start = thread_cpu_time();
        compute(kRounds);
        const auto spent = static_cast<double>((thread_cpu_time() - start).count());
        fastest = std::max(fastest, static_cast<double>(kRounds) / std::max(spent, 1.0));
    }
    return CpuWork(fastest);
}

void CpuWork::run(nanoseconds length) const noexcept {
    const nanoseconds end = thread_cpu_time() + length;
    for (;;) {
        const nanoseconds left = end - thread_cpu_time();
        if (left <= nanoseconds::zero()) return;
        const auto slice = static_cast<double>(std::min(left, kSlice).count());
        compute(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(slice * rounds_per_nanosecond_)));
    }
}

}  // namespace quarry::app
