#include "terrain/streaming/due_queue.hpp"

#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/terrain/support.hpp"

namespace quarry::terrain::streaming {
namespace {

// Beside a plain list, over steps of all sizes: some within a day, some over many times all days of the ring.
TEST(DueQueue, GivesEachOnceWhenItIsDue) {
    Random random(21);
    SCOPED_TRACE(random.seed());
    for (int round = 0; round < 20; ++round) {
        DueQueue queue(random.real(0.5, 20));
        std::map<NodeIndex, double> expected;
        double travelled = random.real(0, 1e6);
        queue.clear(travelled);
        NodeIndex next = 0;
        const auto push = [&](double ahead) {
            expected[next] = travelled + ahead;
            queue.push({travelled + ahead, next++, 7});
        };
        const auto some_way = [&] { return std::pow(10, random.real(-2, 4.5)); };
        for (int step = 0; step < 400; ++step) {
            for (int i = random.integer(0, 5); i > 0; --i) push(random.integer(0, 9) == 0 ? 0 : some_way());
            if (random.integer(0, 50) == 0) travelled += 1e5;
            travelled += random.integer(0, 3) == 0 ? some_way() : random.real(0, 3);
            std::set<NodeIndex> due;
            for (const auto& [node, at] : expected) {
                if (at < travelled) due.insert(node);
            }
            std::set<NodeIndex> given;
            queue.take_before(travelled, [&](const DueQueue::Due& taken) {
                ASSERT_EQ(taken.stamp, 7u);
                ASSERT_EQ(taken.at, expected.at(taken.node));
                ASSERT_TRUE(given.insert(taken.node).second);
                if (random.integer(0, 2) == 0) push(random.integer(0, 2) == 0 ? 0 : some_way());
            });
            ASSERT_EQ(given, due);
            for (const NodeIndex node : due) expected.erase(node);
            ASSERT_EQ(queue.size(), expected.size());
        }
    }
}

TEST(DueQueue, ForgetsWhatIsOldWhereverItWaits) {
    DueQueue queue(8);
    for (NodeIndex node = 0; node < 1000; ++node) queue.push({node * 10.0, node, 0});
    queue.forget_if([](const DueQueue::Due& due) { return due.node % 4 != 0; });
    EXPECT_EQ(queue.size(), 250u);
    std::set<NodeIndex> given;
    queue.take_before(10'000, [&](const DueQueue::Due& due) { given.insert(due.node); });
    EXPECT_EQ(given.size(), 250u);
    EXPECT_EQ(*given.rbegin(), 996u);
    EXPECT_EQ(queue.size(), 0u);
}

}  // namespace
}  // namespace quarry::terrain::streaming
