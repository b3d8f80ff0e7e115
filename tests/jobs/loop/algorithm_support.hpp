#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

// What the tests of the parallel algorithms share.

namespace quarry::test_support {

inline constexpr int kWorkerCounts[] = {1, 2, 3, 8};

// Random inputs from a seed that is printed, and that QUARRY_TEST_SEED repeats.
class SeededTest : public ::testing::Test {
  protected:
    SeededTest() : seed_(choose_seed()), random_(seed_) { std::cout << "seed " << seed_ << '\n'; }

    std::mt19937_64& random() { return random_; }
    std::size_t random_below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  private:
    static std::uint64_t choose_seed() {
        const char* const given = std::getenv("QUARRY_TEST_SEED");  // NOLINT(concurrency-mt-unsafe): nobody sets any
        if (given != nullptr) return std::strtoull(given, nullptr, 10);
        return std::random_device()();
    }

    std::uint64_t seed_;
    std::mt19937_64 random_;
};

struct Bang : std::runtime_error {
    Bang() : std::runtime_error("bang") {}
};

// Throws on the call with the given number, counted over all threads.
class Fuse {
  public:
    explicit Fuse(std::int64_t calls_before) : left_(calls_before) {}
    void burn() {
        if (left_.fetch_sub(1, std::memory_order_relaxed) == 0) throw Bang();
    }

  private:
    std::atomic<std::int64_t> left_;
};

// A value on the heap, without a default constructor, that knows how many of its kind are alive.
class Counted {
  public:
    explicit Counted(std::uint64_t value) : value_(new std::uint64_t(value)) { ++alive_count; }
    Counted(Counted&& other) noexcept : value_(std::exchange(other.value_, nullptr)) { ++alive_count; }
    Counted& operator=(Counted&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~Counted() {
        delete value_;
        --alive_count;
    }

    std::uint64_t value() const { return *value_; }
    bool operator<(const Counted& other) const { return *value_ < *other.value_; }
    static std::int64_t alive() { return alive_count; }

  private:
    static inline std::atomic<std::int64_t> alive_count = 0;
    std::uint64_t* value_;
};

}  // namespace quarry::test_support
