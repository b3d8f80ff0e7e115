#include "jobs/rows/tree.hpp"

namespace quarry::bench {
namespace {

std::uint32_t build(std::vector<TreeNode>& nodes, int levels) {
    const auto index = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back({0, 0, 1});
    if (levels > 1) {
        const std::uint32_t left = build(nodes, levels - 1);
        const std::uint32_t right = build(nodes, levels - 1);
        nodes[index].left = left;
        nodes[index].right = right;
    }
    return index;
}

}  // namespace

std::vector<TreeNode> make_tree(int levels) {
    std::vector<TreeNode> nodes;
    nodes.reserve((std::size_t{1} << levels) - 1);
    build(nodes, levels);
    return nodes;
}

}  // namespace quarry::bench
