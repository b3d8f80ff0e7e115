#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

namespace quarry::test_support {

inline std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Calls pass(seed) once, or again and again with new seeds until the soak's time is over.
template <class Pass>
void for_each_seed(const char* test, Pass pass) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(number_from_environment("QUARRY_SOAK_SECONDS", 0));
    std::uint64_t seed = number_from_environment("QUARRY_SEED", std::random_device()());
    do {
        std::printf("%s: QUARRY_SEED=%llu\n", test, static_cast<unsigned long long>(seed));
        std::fflush(stdout);
        pass(seed);
        ++seed;
    } while (Clock::now() < end && !testing::Test::HasFailure());
}

}  // namespace quarry::test_support
