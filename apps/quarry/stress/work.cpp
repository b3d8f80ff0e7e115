#include "stress/work.hpp"

#include <array>
#include <chrono>
#include <numeric>
#include <thread>

namespace quarry::app {
namespace {

constexpr std::uint32_t kIterations = 10;
constexpr std::uint64_t kMixedRound = 10;
constexpr auto kSleep = std::chrono::milliseconds(1);

using Data = std::array<std::uint32_t, 50>;

constexpr Data make_data() {
    Data data{};
    std::iota(data.begin(), data.end(), 0U);
    return data;
}

constexpr Data kData = make_data();

}  // namespace

// Not inline, and with an argument that the compiler cannot see through: it would compute the answer itself.
[[gnu::noinline]] std::uint32_t compute_heavy(std::span<const std::uint32_t> data, std::uint32_t iterations) noexcept {
    asm volatile("" : "+r"(iterations));
    std::uint32_t total = 0;
    for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
        for (const std::uint32_t value : data) {
            total += value * iteration;
            total = (total * 31 + value) % 1'000'000;
        }
    }
    return total;
}

bool is_sleep(JobKind kind, std::uint64_t number) noexcept {
    return kind == JobKind::sleep || (kind == JobKind::mixed && number % kMixedRound == kMixedRound - 1);
}

std::uint32_t run_job(JobKind kind, std::uint64_t number) noexcept {
    if (!is_sleep(kind, number)) return compute_heavy(kData, kIterations);
    std::this_thread::sleep_for(kSleep);
    return kSleepAnswer;
}

std::uint32_t expected_answer(JobKind kind, std::uint64_t number) noexcept {
    return is_sleep(kind, number) ? kSleepAnswer : kComputeHeavyAnswer;
}

}  // namespace quarry::app
