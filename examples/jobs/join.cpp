// join runs two closures, at the same time if another worker is free. It costs so little that a recursion needs no
// cut-off.
#include <cstdio>
#include <memory>

#include <quarry/jobs/join.hpp>

namespace {

// [begin docs]
struct Tree {
    int value = 1;
    std::unique_ptr<Tree> left;
    std::unique_ptr<Tree> right;
};

int sum(const Tree* tree) {
    if (tree == nullptr) return 0;
    const auto [left, right] = quarry::join([&] { return sum(tree->left.get()); },  //
                                            [&] { return sum(tree->right.get()); });
    return tree->value + left + right;
}
// [end docs]

std::unique_ptr<Tree> grow(int height) {
    if (height == 0) return nullptr;
    auto tree = std::make_unique<Tree>();
    tree->left = grow(height - 1);
    tree->right = grow(height - 1);
    return tree;
}

}  // namespace

int main() {
    const int nodes = sum(grow(16).get());
    std::printf("%d nodes\n", nodes);
    return nodes == 65'535 ? 0 : 1;
}
