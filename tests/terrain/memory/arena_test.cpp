#include "terrain/memory/arena.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::terrain::impl {
namespace {

struct Taken {
    unsigned char* memory;
    std::size_t bytes;
    unsigned char mark;
};

Taken take_marked(Arena& arena, std::size_t bytes, unsigned char mark) {
    auto* const memory = static_cast<unsigned char*>(arena.take(bytes));
    std::memset(memory, mark, bytes);
    return {memory, bytes, mark};
}

bool is_intact(const Taken& taken) {
    return std::all_of(taken.memory, taken.memory + taken.bytes, [&](unsigned char c) { return c == taken.mark; });
}

TEST(Arena, BlocksDoNotOverlapAndAllIsJoinedInTheEnd) {
    Arena arena;
    std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same every time
    std::vector<Taken> taken;
    std::size_t asked = 0;
    for (int step = 0; step < 6'000; ++step) {
        if (taken.size() < 200 || random() % 2 == 0) {
            const std::size_t bytes = step % 50 == 0 ? random() % kLargestInArena : random() % 20'000;
            taken.push_back(take_marked(arena, bytes, static_cast<unsigned char>(step)));
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken.back().memory) % 16, 0u);
            asked += bytes;
        } else {
            std::swap(taken[random() % taken.size()], taken.back());
            ASSERT_TRUE(is_intact(taken.back())) << "step " << step;
            asked -= taken.back().bytes;
            Arena::give_back(taken.back().memory, taken.back().bytes);
            taken.pop_back();
        }
        ASSERT_GE(arena.use().used, asked);
    }
    for (const Taken& each : taken) {
        ASSERT_TRUE(is_intact(each));
        Arena::give_back(each.memory, each.bytes);
    }
    EXPECT_EQ(arena.use().used, 0u);
    EXPECT_LE(arena.use().reserved, Arena::kFreeRegionsKept * kRegionBytes);
    // One block a region is left: the largest fits without another region.
    const std::size_t before = arena.use().reserved;
    void* const large = arena.take(kLargestInArena);
    EXPECT_EQ(arena.use().reserved, before);
    Arena::give_back(large, kLargestInArena);
}

// Meshes of many sizes come and go, most of them for good: the rest must not hold regions that are nearly empty for
// ever.
TEST(Arena, ReusesWhatLiesBetweenBlocksThatStay) {
    Arena arena;
    std::mt19937 random(3);  // NOLINT(cert-msc51-cpp)
    std::vector<Taken> taken;
    std::size_t peak = 0;
    for (int step = 0; step < 20'000; ++step) {
        const std::size_t bytes = 2'000 + random() % 14'000;
        taken.push_back({static_cast<unsigned char*>(arena.take(bytes)), bytes, 0});
        if (taken.size() > 1'000) {
            std::swap(taken[random() % taken.size()], taken.back());
            Arena::give_back(taken.back().memory, taken.back().bytes);
            taken.pop_back();
        }
        if (step > 2'000) peak = std::max(peak, arena.use().reserved);
    }
    // 1,000 blocks of 9,000 bytes; a quarter more is what holes may take, and free regions that are kept.
    EXPECT_LT(peak, 1'000 * 9'000 * 5 / 4 + 2 * kRegionBytes);
    for (const Taken& each : taken) Arena::give_back(each.memory, each.bytes);
}

TEST(Arena, TakesTheSameMemoryAgain) {
    Arena arena;
    void* const first = arena.take(12'000);
    void* const second = arena.take(12'000);
    Arena::give_back(first, 12'000);
    EXPECT_EQ(arena.take(12'000), first);
    Arena::give_back(first, 12'000);
    Arena::give_back(second, 12'000);
}

TEST(Arena, GivesRegionsBackButForSome) {
    Arena arena;
    std::vector<void*> blocks;
    for (int i = 0; i < 200; ++i) blocks.push_back(arena.take(kLargestInArena));
    const std::size_t full = arena.use().reserved;
    EXPECT_GE(full, 200 * kLargestInArena);
    for (void* const block : blocks) Arena::give_back(block, kLargestInArena);
    EXPECT_EQ(arena.use().reserved, Arena::kFreeRegionsKept * kRegionBytes);
}

}  // namespace
}  // namespace quarry::terrain::impl
