#include "terrain/streaming/node_tree.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "terrain/streaming/keys.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain::streaming {
namespace {

TEST(NodeTree, TheWayOverParentsFindsWhatTheKeyFinds) {
    Random random(9);
    SCOPED_TRACE(random.seed());
    constexpr std::int32_t kRootLod = 4;
    NodeTree tree;
    std::vector<NodeIndex> nodes;
    for (std::int32_t i = 0; i < 27; ++i) {
        if (i % 5 != 4) nodes.push_back(tree.add_root({kRootLod, i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1}));
    }
    for (int i = 0; i < 300; ++i) {
        const NodeIndex node = nodes[static_cast<std::size_t>(random.integer(0, static_cast<int>(nodes.size()) - 1))];
        if (tree[node].key.lod == 0 || tree[node].children != kNoNode) continue;
        const NodeIndex first = tree.add_children(node);
        for (NodeIndex child = first; child < first + 8; ++child) nodes.push_back(child);
    }
    ASSERT_GT(nodes.size(), 500u);
    for (const NodeIndex node : nodes) {
        for_each_neighbour([&](std::int32_t dx, std::int32_t dy, std::int32_t dz) {
            EXPECT_EQ(tree.beside(node, dx, dy, dz),
                      tree.find_at_or_above(moved(tree[node].key, dx, dy, dz), kRootLod));
        });
        for (std::uint32_t side = 0; side < side::count; ++side) {
            EXPECT_EQ(tree.beside(node, side), tree.find_at_or_above(beyond(tree[node].key, side), kRootLod));
        }
    }
}

}  // namespace
}  // namespace quarry::terrain::streaming
