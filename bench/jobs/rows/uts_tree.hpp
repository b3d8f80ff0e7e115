#pragma once

#include <array>
#include <cstdint>

// Tree T1 of the Unbalanced Tree Search benchmark: geometric, fixed branching factor 4 down to depth 10, seed 19.
// A node is the SHA-1 hash of its parent's hash and its own number, so the shape is the same everywhere and can
// not be foreseen.
namespace quarry::bench {

inline constexpr std::uint32_t kUtsNodes = 4'130'071;

class UtsNode {
  public:
    static UtsNode root();
    int children() const;
    UtsNode child(int number) const;

  private:
    std::array<std::uint32_t, 5> state_{};  // the hash as big-endian words
    int depth_ = 0;
};

}  // namespace quarry::bench
