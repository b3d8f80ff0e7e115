#include <array>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "process/arena/block_map.hpp"
#include "process/ring/ring.hpp"
#include "process/segment.hpp"

// The host's end of the rings against memory that anybody may have written.
namespace {

using quarry::process::impl::Arrivals;
using quarry::process::impl::Atomics;
using Words = quarry::process::impl::RingWords<Atomics>;
using Host = quarry::process::impl::HostEnd<Atomics>;
using Blocks = quarry::process::impl::BlockMap<Atomics>;

TEST(HostileRing, ACountThatNoWorkerCanHaveReachedIsCorrupt) {
    for (const std::uint64_t lie : {3ULL, 4ULL, 1'000ULL, ~0ULL, 1ULL << 63}) {
        Words words;
        Host host(words, 8);
        host.fill();
        host.fill();
        host.publish();
        words.results.store(lie, std::memory_order_relaxed);
        EXPECT_EQ(host.look(), Arrivals::corrupt) << lie;
    }
}

TEST(HostileRing, ACountThatGoesBackIsCorrupt) {
    Words words;
    Host host(words, 8);
    for (int i = 0; i < 4; ++i) host.fill();
    host.publish();
    words.results.store(3, std::memory_order_relaxed);
    EXPECT_EQ(host.look(), Arrivals::some);
    for (int i = 0; i < 3; ++i) host.take();
    words.results.store(2, std::memory_order_relaxed);
    EXPECT_EQ(host.look(), Arrivals::corrupt);
}

TEST(HostileRing, AnyNumbersNeverMakeTheHostReadMoreThanItAskedFor) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 20'000; ++round) {
        Words words;
        Host host(words, 8);
        std::uint64_t asked = 0;
        std::uint64_t taken = 0;
        for (int step = 0; step < 30; ++step) {
            if (random() % 2 == 0 && host.has_room()) {
                host.fill();
                host.publish();
                ++asked;
            }
            if (random() % 8 == 0) words.results.store(random() % 16, std::memory_order_relaxed);
            if (random() % 64 == 0) words.jobs.store(random(), std::memory_order_relaxed);
            const Arrivals found = host.look();
            if (found == Arrivals::corrupt) break;
            if (found == Arrivals::some) {
                host.take();
                ++taken;
            }
            ASSERT_LE(taken, asked);
            ASSERT_LE(host.unanswered(), 8U);
        }
    }
}

TEST(BlockMap, TakesTheFirstRunThatIsLongEnough) {
    std::array<Blocks::Word, 3> words{};
    Blocks blocks(words, 150);
    EXPECT_EQ(blocks.take(70), std::size_t{0});
    EXPECT_EQ(blocks.take(1), std::size_t{70});
    EXPECT_EQ(blocks.take(79), std::size_t{71});
    EXPECT_EQ(blocks.take(1), std::nullopt);
    blocks.give(60, 8);
    EXPECT_EQ(blocks.take(9), std::nullopt);
    EXPECT_EQ(blocks.take(8), std::size_t{60});
    blocks.give(0, 150);
    EXPECT_EQ(blocks.used(), 0U);
    EXPECT_EQ(blocks.take(151), std::nullopt);
    EXPECT_EQ(blocks.take(150), std::size_t{0});
}

TEST(BlockMap, AgreesWithAPlainList) {
    constexpr std::size_t kBlocks = 200;
    std::array<Blocks::Word, 4> words{};
    Blocks blocks(words, kBlocks);
    std::array<bool, kBlocks> used{};
    std::vector<std::pair<std::size_t, std::size_t>> taken;
    std::mt19937 random(5);
    const auto reference = [&](std::size_t count) -> std::optional<std::size_t> {
        std::size_t run = 0;
        for (std::size_t i = 0; i < kBlocks; ++i) {
            run = used[i] ? 0 : run + 1;
            if (run == count) return i + 1 - count;
        }
        return std::nullopt;
    };
    for (int step = 0; step < 50'000; ++step) {
        if (random() % 2 == 0) {
            const std::size_t count = 1 + random() % (random() % 4 == 0 ? 130 : 6);
            const auto expected = reference(count);
            ASSERT_EQ(blocks.take(count), expected);
            if (!expected) continue;
            for (std::size_t i = 0; i < count; ++i) used[*expected + i] = true;
            taken.emplace_back(*expected, count);
        } else if (!taken.empty()) {
            std::swap(taken[random() % taken.size()], taken.back());
            const auto [first, count] = taken.back();
            taken.pop_back();
            blocks.give(first, count);
            for (std::size_t i = 0; i < count; ++i) used[first + i] = false;
        }
    }
}

}  // namespace
