#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "quarry/terrain/chunk_key.hpp"

namespace quarry::terrain::streaming {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = ~NodeIndex{0};
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

// A node of the octree: what the plan wants there, and what is shown there. One cache line: between two frames workers
// have used the caches, so what a look at a node costs is the lines that it touches.
struct alignas(64) Node {
    ChunkKey key;
    NodeIndex parent = kNoNode;
    NodeIndex children = kNoNode;  // the first of eight
    std::uint32_t stamp = 0;       // no other node that was ever here has had it

    // The plan. Its leaves are the nodes that are planned, inside, and not split.
    bool alive : 1 = false;
    bool rejected : 1 = false;  // bounds prove that it is empty: it is never split and needs no chunk
    bool planned : 1 = false;   // all nodes above it are split
    bool near : 1 = false;      // distance asks for a split
    bool inside : 1 = false;    // it reaches into the ball around a viewer
    bool split : 1 = false;
    std::uint8_t below = 0;  // children that are shown, or have something shown below
    bool failed = false;     // its mesh could not be made; not tried again
    bool changed = false;    // listed as changed
    double due = 0;          // how far viewers have to have travelled before near or inside can change

    // What is shown.
    std::uint32_t chunk = kNone;  // in the chunk table: what is shown of this very node
    std::uint32_t group = kNone;  // the change under way at this node
    std::uint32_t visited = 0;    // by the last search that came here
    // The update in which the plan began to want a chunk here, by its lower 32 bits; 0: it does not.
    std::uint32_t planned_since = 0;
    bool waiting = false;  // listed as in need of a change
    bool leaving = false;  // listed as left behind by the plan
    bool first = false;    // has to appear before a neighbour that would enclose it
    bool urgent = false;   // another change waits for the one that this node needs
    bool in_swap = false;  // a new version comes with the swap that is under way
    bool opened = false;   // edits have made it one that is no longer rejected: the plan learns of it later

    bool is_leaf() const noexcept { return planned && inside && !split; }
    bool needs_chunk() const noexcept { return is_leaf() && !rejected; }
    bool in_use() const noexcept {
        return children != kNoNode || chunk != kNone || below != 0 || group != kNone || changed || waiting || leaving ||
               in_swap || opened;
    }
};
static_assert(sizeof(Node) == 64);

// All nodes that the plan or what is shown needs, found by key. Nodes stay where they are.
class NodeTree {
  public:
    Node& operator[](NodeIndex node) noexcept { return (*slabs_[node / kSlab])[node % kSlab]; }
    const Node& operator[](NodeIndex node) const noexcept { return (*slabs_[node / kSlab])[node % kSlab]; }

    // kNoNode: there is none.
    NodeIndex find(const ChunkKey& key) const noexcept;
    // The node of that key, or the nearest one above it.
    NodeIndex find_at_or_above(ChunkKey key, std::int32_t max_lod) const noexcept;

    NodeIndex add_root(const ChunkKey& key);
    void remove_root(NodeIndex root);
    // The first of eight.
    NodeIndex add_children(NodeIndex parent);
    void remove_children(NodeIndex parent);

    // In the order in which they came; removed ones leave no gap.
    const std::vector<NodeIndex>& roots() const noexcept { return roots_; }
    std::size_t size() const noexcept { return count_; }
    std::size_t bytes() const noexcept;

    template <class Visit>
    void for_each(Visit visit) {
        for (const NodeIndex root : std::vector<NodeIndex>(roots_)) for_each_below(root, visit);
    }
    // The node itself and all below it, parents first. visit may add or remove children of the node it is called with.
    template <class Visit>
    void for_each_below(NodeIndex node, Visit& visit) {
        visit(node);
        const NodeIndex children = (*this)[node].children;
        if (children == kNoNode) return;
        for (NodeIndex child = children; child < children + 8; ++child) for_each_below(child, visit);
    }

  private:
    static constexpr NodeIndex kSlab = 256;  // nodes
    using Slab = std::array<Node, kSlab>;

    void insert(NodeIndex node);
    void erase(NodeIndex node);
    void grow();
    NodeIndex take_block();
    void start(NodeIndex node, const ChunkKey& key, NodeIndex parent);
    void end(NodeIndex node);

    std::vector<std::unique_ptr<Slab>> slabs_;
    std::vector<NodeIndex> free_blocks_;  // the first of eight nodes each
    std::vector<NodeIndex> free_root_places_;
    std::vector<NodeIndex> roots_;
    std::vector<NodeIndex> places_ = std::vector<NodeIndex>(64, kNoNode);  // open addressing, a power of two
    std::size_t count_ = 0;
    std::uint32_t last_stamp_ = 0;
};

}  // namespace quarry::terrain::streaming
