#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/engine_bare.hpp"
#include "jobs/engine_host.hpp"
#include "jobs/rows/list.hpp"

namespace quarry::bench {
namespace {

TEST(Rows, UnbalancedTreeHasItsPublishedNumberOfNodes) {
    EXPECT_EQ(count_uts<BareEngine>(UtsNode::root()), 4'130'071u);
}

TEST(Rows, TreesAreCompleteAndInDepthFirstOrder) {
    const std::vector<TreeNode> tree = make_tree(10);
    ASSERT_EQ(tree.size(), 1'023u);
    EXPECT_EQ(tree[0].left, 1u);
    EXPECT_EQ(tree[0].right, 512u);
    EXPECT_EQ(tree_sum<BareEngine>(tree.data(), 0), 1'023u);
}

TEST(Rows, LeafOfTheMatrixProductAddsTheProduct) {
    std::vector<float> a(kMatrixLeaf * kMatrix, 0.0f);
    std::vector<float> b = a;
    std::vector<float> c = a;
    a[3 * kMatrix + 5] = 2.0f;
    b[5 * kMatrix + 7] = 3.0f;
    c[3 * kMatrix + 7] = 1.0f;
    multiply_leaf(c.data(), a.data(), b.data());
    EXPECT_EQ(c[3 * kMatrix + 7], 7.0f);
    EXPECT_EQ(c[3 * kMatrix + 8], 0.0f);
}

TEST(Rows, EveryListedRowYieldsFiguresOnTheBaseline) {
    EngineHostOf<BareEngine> host;
    for (const RowInfo& row : all_rows()) {
        if (row.heavy) continue;
        RowData data;
        Answer answer;
        RowContext context{true, data, answer, 2};
        host.run(row.name, context);
        EXPECT_FALSE(answer.values.empty() && answer.samples.empty()) << row.name;
    }
}

TEST(BareTeam, EveryJobOfABatchRunsOnce) {
    BareTeam team(3);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::atomic<int>> runs(50);
        team.run(50, [&](int job) { runs[static_cast<std::size_t>(job)].fetch_add(1); });
        for (const std::atomic<int>& count : runs) ASSERT_EQ(count.load(), 1);
    }
}

}  // namespace
}  // namespace quarry::bench
