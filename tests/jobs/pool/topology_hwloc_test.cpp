#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/pool/topology.hpp"
#include "quarry/jobs/error.hpp"
#include "tests/jobs/pool/topology_support.hpp"

namespace quarry::impl {
namespace {

using test_support::from_to;
using Groups = std::vector<std::vector<int>>;

TEST(VictimGroupsByTopology, SharedCacheComesBeforePackageBeforeTheRest) {
    const std::string machine = "pack:2 l3:2 core:4 pu:2";
    EXPECT_EQ(victim_groups_on(machine, 0, 32), (Groups{from_to(1, 8), from_to(8, 16), from_to(16, 32)}));
    EXPECT_EQ(victim_groups_on(machine, 31, 32), (Groups{from_to(24, 31), from_to(16, 24), from_to(0, 16)}));
    EXPECT_EQ(victim_groups_on(machine, 9, 32), (Groups{{8, 10, 11, 12, 13, 14, 15}, from_to(0, 8), from_to(16, 32)}));
}

TEST(VictimGroupsByTopology, SecondLevelCacheIsNearest) {
    EXPECT_EQ(victim_groups_on("pack:1 l3:1 l2:4 core:1 pu:2", 2, 8), (Groups{{3}, {0, 1, 4, 5, 6, 7}}));
}

TEST(VictimGroupsByTopology, NumaNodeInsideAPackageIsNearerThanThePackage) {
    EXPECT_EQ(victim_groups_on("pack:2 numa:2 core:2 pu:1", 0, 8), (Groups{{1}, {2, 3}, {4, 5, 6, 7}}));
}

TEST(VictimGroupsByTopology, PackageInsideANumaNodeIsNearerThanTheNode) {
    EXPECT_EQ(victim_groups_on("numa:2 pack:2 core:2 pu:1", 0, 8), (Groups{{1}, {2, 3}, {4, 5, 6, 7}}));
}

TEST(VictimGroupsByTopology, FewerWorkersThanCpusLeaveNoEmptyGroup) {
    EXPECT_EQ(victim_groups_on("pack:2 l3:2 core:4 pu:2", 0, 10), (Groups{from_to(1, 8), {8, 9}}));
    EXPECT_EQ(victim_groups_on("pack:2 l3:2 core:4 pu:2", 8, 10), (Groups{{9}, from_to(0, 8)}));
}

TEST(VictimGroupsByTopology, MoreWorkersThanCpusStartOverAtTheFirstCpu) {
    EXPECT_EQ(victim_groups_on("pack:2 core:1 pu:1", 0, 5), (Groups{{2, 4}, {1, 3}}));
}

TEST(VictimGroupsByTopology, MachineWithoutStructureIsOneGroup) {
    EXPECT_EQ(victim_groups_on("pu:4", 1, 4), (Groups{{0, 2, 3}}));
}

TEST(VictimGroupsByTopology, WrongDescriptionIsRefusedByName) {
    try {
        victim_groups_on("pack:two", 0, 4);
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("\"pack:two\""), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace quarry::impl
