#include "graph/shapes.hpp"

#include <algorithm>
#include <random>

namespace quarry::bench {
namespace {

GraphShape linear_chain() {
    GraphShape shape;
    shape.before.resize(8192);
    for (std::uint32_t i = 1; i < shape.size(); ++i) shape.before[i] = {i - 1};
    return shape;
}

GraphShape binary_tree() {
    GraphShape shape;
    shape.before.resize((std::size_t{1} << 13) - 1);
    for (std::uint32_t i = 1; i < shape.size(); ++i) shape.before[i] = {(i - 1) / 2};
    return shape;
}

// Each cell of a square waits for the ones above it and to its left.
GraphShape wavefront() {
    constexpr std::uint32_t kSide = 90;
    GraphShape shape;
    shape.before.resize(std::size_t{kSide} * kSide);
    for (std::uint32_t y = 0; y < kSide; ++y) {
        for (std::uint32_t x = 0; x < kSide; ++x) {
            std::vector<std::uint32_t>& before = shape.before[y * kSide + x];
            if (x > 0) before.push_back(y * kSide + x - 1);
            if (y > 0) before.push_back((y - 1) * kSide + x);
        }
    }
    return shape;
}

// Up to four nodes before each, among the 256 that precede it.
GraphShape random_graph() {
    std::mt19937 random(1);
    GraphShape shape;
    shape.before.resize(8192);
    for (std::uint32_t i = 1; i < shape.size(); ++i) {
        std::vector<std::uint32_t>& before = shape.before[i];
        const auto count = static_cast<std::uint32_t>(random() % 5);
        for (std::uint32_t k = 0; k < count; ++k) {
            const auto back = static_cast<std::uint32_t>(1 + random() % std::min<std::uint32_t>(i, 256));
            before.push_back(i - back);
        }
        std::sort(before.begin(), before.end());
        before.erase(std::unique(before.begin(), before.end()), before.end());
    }
    return shape;
}

constexpr GraphRow kGraphRows[] = {
    {{.name = "chain", .unit = "ns", .what = "8,192 nodes one after the other, time per node"}, &linear_chain, 0},
    {{.name = "tree", .unit = "ns", .what = "binary tree of 8,191 nodes from its root, time per node"},
     &binary_tree,
     0},
    {{.name = "wavefront", .unit = "ns", .what = "90 x 90 cells, each after its upper and left one, time per node"},
     &wavefront,
     0},
    {{.name = "random", .unit = "ns", .what = "8,192 nodes with up to 4 before each, time per node"}, &random_graph, 0},
    {{.name = "chain_1us", .unit = "ns", .what = "the chain with 1 us of work in each node"}, &linear_chain, 1000},
    {{.name = "tree_1us", .unit = "ns", .what = "the tree with 1 us of work in each node"}, &binary_tree, 1000},
    {{.name = "wavefront_1us", .unit = "ns", .what = "the wavefront with 1 us of work in each node"}, &wavefront, 1000},
    {{.name = "random_1us", .unit = "ns", .what = "the random graph with 1 us of work in each node"},
     &random_graph,
     1000},
};

}  // namespace

std::uint64_t GraphWork::result() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t value : values_) sum = sum * 31 + value;
    return sum;
}

std::uint64_t GraphWork::expected(const GraphShape& shape) {
    GraphWork work(shape, 0);
    for (std::uint32_t i = 0; i < shape.size(); ++i) work(i);
    return work.result();
}

std::span<const GraphRow> graph_rows() {
    return kGraphRows;
}

const GraphRow* find_graph_row(std::string_view name) {
    for (const GraphRow& row : kGraphRows) {
        if (row.info.name == name) return &row;
    }
    return nullptr;
}

}  // namespace quarry::bench
