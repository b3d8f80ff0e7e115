#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "process/ring/ring.hpp"
#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::process::impl {

// Which blocks of an arena are in use: one bit a block. One side takes, the other gives back, in any order. Giving back
// is one write per word of bits and cannot fail, so a result may be dropped on any thread and after any death.
template <class Policy>
class BlockMap {
  public:
    using Word = typename Policy::template Atomic<std::uint64_t>;
    static constexpr std::size_t kBits = 64;

    // Only the first `blocks` bits of the words are blocks.
    BlockMap(std::span<Word> words, std::size_t blocks) : words_(words), blocks_(blocks) {}

    static constexpr std::size_t words_for(std::size_t blocks) { return (blocks + kBits - 1) / kBits; }

    std::size_t blocks() const { return blocks_; }

    // The taker: the first run of so many free blocks at or behind `from`, now taken.
    std::optional<std::size_t> take(std::size_t count, std::size_t from = 0) {
        std::size_t start = from;
        std::size_t place = from;
        while (place < blocks_) {
            const std::uint64_t bits = look(place / kBits) >> (place % kBits);
            const std::size_t in_word = std::min(kBits - place % kBits, blocks_ - place);
            const auto free = std::min(static_cast<std::size_t>(std::countr_zero(bits)), in_word);
            if (place + free - start >= count) {
                mark(start, count);
                return start;
            }
            if (free == in_word) {
                place += in_word;
                continue;
            }
            const auto used = static_cast<std::size_t>(std::countr_one(bits >> free));
            place += std::min(free + used, in_word);
            start = place;
        }
        return std::nullopt;
    }

    // The giver. Whoever takes a block next sees that the giver has done with it.
    void give(std::size_t first, std::size_t count) {
        const auto order = Policy::order(Mutation::process_blocks_give, std::memory_order_release);
        each_word(first, count, [&](Word& word, std::uint64_t mask) { word.fetch_and(~mask, order); });
    }

    bool is_free(std::size_t block) const {
        return (words_[block / kBits].load(std::memory_order_relaxed) >> (block % kBits) & 1) == 0;
    }
    std::size_t used() const {
        std::size_t count = 0;
        for (const Word& word : words_) {
            count += static_cast<std::size_t>(std::popcount(word.load(std::memory_order_relaxed)));
        }
        return count;
    }

  private:
    std::uint64_t look(std::size_t word) const {
        return words_[word].load(Policy::order(Mutation::process_blocks_look, std::memory_order_acquire));
    }
    // Others only clear bits, so a run that was seen free stays free.
    void mark(std::size_t first, std::size_t count) {
        each_word(first, count, [](Word& word, std::uint64_t mask) { word.fetch_or(mask, std::memory_order_relaxed); });
    }
    template <class Visit>
    void each_word(std::size_t first, std::size_t count, Visit visit) {
        while (count != 0) {
            const std::size_t bit = first % kBits;
            const std::size_t here = std::min(count, kBits - bit);
            const std::uint64_t ones = here == kBits ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
            visit(words_[first / kBits], ones << bit);
            first += here;
            count -= here;
        }
    }

    std::span<Word> words_;
    std::size_t blocks_;
};

}  // namespace quarry::process::impl
