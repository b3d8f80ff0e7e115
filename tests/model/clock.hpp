#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace model {

inline constexpr std::size_t kMostThreads = 5;  // the set-up, and up to four

// Which events of each thread are known to have happened before: events of a thread are numbered from 1.
struct Clock {
    std::array<std::uint32_t, kMostThreads> at{};

    void join(const Clock& other) {
        for (std::size_t i = 0; i < kMostThreads; ++i) at[i] = std::max(at[i], other.at[i]);
    }
    bool covers(std::size_t thread, std::uint32_t time) const { return at[thread] >= time; }
};

// A set of the seq_cst operations and fences of one execution.
class NodeSet {
  public:
    static constexpr std::size_t kCapacity = 192;

    void add(std::size_t node) { words_[node / 64] |= std::uint64_t{1} << (node % 64); }
    bool has(std::size_t node) const { return (words_[node / 64] >> (node % 64) & 1) != 0; }
    bool meets(const NodeSet& other) const {
        bool any = false;
        for (std::size_t i = 0; i < kWords; ++i) any |= (words_[i] & other.words_[i]) != 0;
        return any;
    }
    bool empty() const { return (words_[0] | words_[1] | words_[2]) == 0; }
    NodeSet& operator|=(const NodeSet& other) {
        for (std::size_t i = 0; i < kWords; ++i) words_[i] |= other.words_[i];
        return *this;
    }
    template <class Visit>
    void each(Visit visit) const {
        for (std::size_t i = 0; i < kWords; ++i) {
            for (std::uint64_t left = words_[i]; left != 0; left &= left - 1) {
                visit(i * 64 + static_cast<std::size_t>(std::countr_zero(left)));
            }
        }
    }

  private:
    static constexpr std::size_t kWords = kCapacity / 64;
    std::array<std::uint64_t, kWords> words_{};
};

}  // namespace model
