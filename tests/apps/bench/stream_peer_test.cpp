#include "bench/stream_peer.hpp"

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::app {
namespace {

std::map<std::string, int> sides_by_chunk(const std::string& list) {
    std::map<std::string, int> sides;
    std::istringstream lines(list);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t last = line.rfind(' ');
        sides[line.substr(0, last)] = std::stoi(line.substr(last + 1));
    }
    return sides;
}

TEST(StreamPeer, TransitionsMoveFromTheFinerChunkToTheCoarserOne) {
    using namespace terrain;
    const std::vector<PlacedChunk> surface{
        {{1, -1, 0, 0}, 0},              // coarse
        {{0, 0, 0, 1}, side::low_x},     // beside its upper side along x
        {{0, -1, -1, 0}, side::high_y},  // beside its lower side along y
        {{0, 4, 0, 0}, side::high_z},    // beside nothing that is listed
    };
    const std::map<std::string, int> sides = sides_by_chunk(chunk_list(surface));
    EXPECT_EQ(sides.at("1 -1 0 0"), static_cast<int>(side::high_x | side::low_y));
    EXPECT_EQ(sides.at("0 0 0 1"), 0);
    EXPECT_EQ(sides.at("0 -1 -1 0"), 0);
    EXPECT_EQ(sides.at("0 4 0 0"), 0);
    EXPECT_EQ(sides.size(), surface.size());
}

}  // namespace
}  // namespace quarry::app
