#pragma once

#include <cstdint>

namespace quarry::app {

// The same numbers from the same seed everywhere: the distributions of <random> differ between standard libraries. By
// increments and two multiplications (the finaliser of MurmurHash3).
class RandomNumbers {
  public:
    explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}

    // From 0 to less than 1.
    double next() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t bits = state_;
        bits = (bits ^ (bits >> 33)) * 0xff51afd7ed558ccd;
        bits = (bits ^ (bits >> 33)) * 0xc4ceb9fe1a85ec53;
        bits ^= bits >> 33;
        return static_cast<double>(bits >> 11) * 0x1p-53;
    }

  private:
    std::uint64_t state_;
};

}  // namespace quarry::app
