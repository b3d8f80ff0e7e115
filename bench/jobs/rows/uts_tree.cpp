#include "jobs/rows/uts_tree.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

namespace quarry::bench {
namespace {

using Hash = std::array<std::uint32_t, 5>;

constexpr int kMaxDepth = 10;
constexpr int kMaxChildren = 100;
constexpr std::uint32_t kSeed = 19;

struct Sha1Rounds {
    std::uint32_t a, b, c, d, e;
    std::array<std::uint32_t, 16> window{};  // the last 16 words of the message schedule

    template <std::size_t Index>
    [[gnu::always_inline]] std::uint32_t word() {
        if constexpr (Index >= 16) {
            window[Index % 16] = std::rotl(
                window[(Index - 3) % 16] ^ window[(Index - 8) % 16] ^ window[(Index - 14) % 16] ^ window[Index % 16],
                1);
        }
        return window[Index % 16];
    }

    template <std::size_t Index>
    [[gnu::always_inline]] void round() {
        std::uint32_t sum = std::rotl(a, 5) + e + word<Index>();
        if constexpr (Index < 20) {
            sum += (d ^ (b & (c ^ d))) + 0x5A827999u;
        } else if constexpr (Index < 40) {
            sum += (b ^ c ^ d) + 0x6ED9EBA1u;
        } else if constexpr (Index < 60) {
            sum += ((b & c) | (d & (b | c))) + 0x8F1BBCDCu;
        } else {
            sum += (b ^ c ^ d) + 0xCA62C1D6u;
        }
        e = d;
        d = c;
        c = std::rotl(b, 30);
        b = a;
        a = sum;
    }

    template <std::size_t... Index>
    [[gnu::always_inline]] void all_rounds(std::index_sequence<Index...>) {
        (round<Index>(), ...);
    }
};

// SHA-1 of a message of big-endian words that fits one block. Its length is known at compile time, as in the Rust
// crate: the padding of the block then is a constant that the compiler folds into the rounds, which it does only if all
// of them are inlined.
template <std::size_t Words>
[[gnu::always_inline]] inline Hash sha1(const std::array<std::uint32_t, Words>& message) {
    static_assert(Words <= 13);
    constexpr Hash kStart{0x67452301u, 0xEFCDAB89u, 0x98BADCFEu, 0x10325476u, 0xC3D2E1F0u};
    Sha1Rounds rounds{kStart[0], kStart[1], kStart[2], kStart[3], kStart[4], {}};
    for (std::size_t index = 0; index < Words; ++index) rounds.window[index] = message[index];
    rounds.window[Words] = 0x80000000u;
    rounds.window[15] = static_cast<std::uint32_t>(Words * 32);
    rounds.all_rounds(std::make_index_sequence<80>());
    return {kStart[0] + rounds.a, kStart[1] + rounds.b, kStart[2] + rounds.c, kStart[3] + rounds.d,
            kStart[4] + rounds.e};
}

}  // namespace

UtsNode UtsNode::root() {
    UtsNode node;
    const Hash seed{0, 0, 0, 0, kSeed};
    node.state_ = sha1(seed);
    return node;
}

int UtsNode::children() const {
    if (depth_ >= kMaxDepth) return 0;
    static const double log_stay = std::log(1.0 - 1.0 / (1.0 + 4.0));
    const double uniform = static_cast<double>(state_[4] & 0x7FFFFFFFu) / 2147483648.0;
    const int count = static_cast<int>(std::floor(std::log(1.0 - uniform) / log_stay));
    return count < kMaxChildren ? count : kMaxChildren;
}

UtsNode UtsNode::child(int number) const {
    std::array<std::uint32_t, 6> message{};
    for (std::size_t index = 0; index < state_.size(); ++index) message[index] = state_[index];
    message[5] = static_cast<std::uint32_t>(number);
    UtsNode node;
    node.state_ = sha1(message);
    node.depth_ = depth_ + 1;
    return node;
}

}  // namespace quarry::bench
