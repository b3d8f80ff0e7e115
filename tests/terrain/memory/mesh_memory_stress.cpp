// Threads that make meshes, others that destroy them, and threads that come and go meanwhile.
#include "quarry/terrain/mesh_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/channel.hpp"

namespace quarry::terrain {
namespace {

struct Parcel {
    MeshVector<std::uint32_t> numbers;
    std::uint32_t mark = 0;
};

void make_parcels(Channel<Parcel>& out, std::uint32_t seed) {
    for (std::uint32_t i = 0; i < 60; ++i) {
        const std::uint32_t mark = seed * 1'000 + i;
        Parcel parcel{MeshVector<std::uint32_t>(1 + mark * 37 % 9'000, mark), mark};
        ASSERT_EQ(out.send(std::move(parcel)), SendStatus::sent);
    }
}

TEST(MeshMemoryStress, ParcelsArriveWholeWhoeverDestroysThem) {
    const std::size_t before = mesh_memory_use().used;
    Channel<Parcel> channel(8);
    std::vector<std::thread> receivers;
    for (int i = 0; i < 2; ++i) {
        receivers.emplace_back([&] {
            while (std::optional<Parcel> parcel = channel.receive()) {
                const auto is_mark = [&](std::uint32_t number) { return number == parcel->mark; };
                ASSERT_TRUE(std::all_of(parcel->numbers.begin(), parcel->numbers.end(), is_mark));
            }
        });
    }
    for (std::uint32_t round = 0; round < 3; ++round) {
        std::vector<std::thread> makers;
        for (std::uint32_t i = 0; i < 3; ++i) makers.emplace_back([&, i] { make_parcels(channel, round * 3 + i); });
        for (std::thread& maker : makers) maker.join();
    }
    channel.close();
    for (std::thread& receiver : receivers) receiver.join();
    EXPECT_EQ(mesh_memory_use().used, before);
}

}  // namespace
}  // namespace quarry::terrain
