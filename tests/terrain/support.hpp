#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/field.hpp"
#include "quarry/terrain/lattice.hpp"
#include "quarry/terrain/simd.hpp"

namespace quarry::terrain {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Puts the SIMD target back that was in use before.
class KeepSimdTarget {
  public:
    KeepSimdTarget() = default;
    KeepSimdTarget(const KeepSimdTarget&) = delete;
    KeepSimdTarget& operator=(const KeepSimdTarget&) = delete;
    ~KeepSimdTarget() { force_simd_target(before_); }

  private:
    SimdTarget before_ = simd_target();
};

// The seed of this run's property tests: another one each time, printed when it is first used. QUARRY_TEST_SEED sets
// it.
inline std::uint64_t test_seed() {
    static const std::uint64_t seed = [] {
        const char* const text = std::getenv("QUARRY_TEST_SEED");  // NOLINT(concurrency-mt-unsafe): nobody sets any
        const std::uint64_t chosen = text != nullptr ? std::stoull(text) : std::random_device{}();
        std::printf("QUARRY_TEST_SEED=%llu\n", static_cast<unsigned long long>(chosen));
        return chosen;
    }();
    return seed;
}

// For SCOPED_TRACE: how to repeat what failed.
inline std::string seed_text() {
    return "QUARRY_TEST_SEED=" + std::to_string(test_seed());
}

// Numbers for property tests, from the seed of the run and a number that tells tests apart.
class Random {
  public:
    explicit Random(std::uint64_t number) : Random(number, test_seed()) {}
    // With a seed that has found a defect once.
    Random(std::uint64_t number, std::uint64_t seed) : seed_(seed), engine_(seed + number * 0x9e3779b97f4a7c15) {}

    std::uint64_t seed() const { return seed_; }
    double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
    std::int32_t integer(std::int32_t low, std::int32_t high) {
        return std::uniform_int_distribution<std::int32_t>(low, high)(engine_);
    }
    Position position(double reach) { return {real(-reach, reach), real(-reach, reach), real(-reach, reach)}; }
    LatticePoint point(std::int32_t reach) {
        return {integer(-reach, reach), integer(-reach, reach), integer(-reach, reach)};
    }

  private:
    std::uint64_t seed_;
    std::mt19937_64 engine_;
};

inline std::vector<float> sampled(const Field& field, const SampleBlock& block) {
    std::vector<float> out(block.size());
    field.sample(block, out.data());
    return out;
}

inline std::vector<float> sampled_by_points(const Field& field, const SampleBlock& block) {
    std::vector<float> out(block.size());
    field.Field::sample(block, out.data());
    return out;
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

template <class Function>
std::string refusal_of(Function&& function) {
    try {
        function();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

}  // namespace quarry::terrain
