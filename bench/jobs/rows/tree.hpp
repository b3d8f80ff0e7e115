#pragma once

#include <cstdint>
#include <vector>

namespace quarry::bench {

// Children are indices into one array in depth-first order; 0, the root, stands for "no child".
struct TreeNode {
    std::uint32_t left;
    std::uint32_t right;
    std::uint32_t value;
};

std::vector<TreeNode> make_tree(int levels);

}  // namespace quarry::bench
