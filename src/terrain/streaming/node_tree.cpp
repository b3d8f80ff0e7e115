#include "terrain/streaming/node_tree.hpp"

#include <algorithm>
#include <utility>

#include "terrain/streaming/keys.hpp"

namespace quarry::terrain::streaming {

NodeIndex NodeTree::find(const ChunkKey& key) const noexcept {
    const std::size_t mask = places_.size() - 1;
    for (std::size_t place = hash_of(key) & mask;; place = (place + 1) & mask) {
        const NodeIndex node = places_[place];
        if (node == kNoNode || (*this)[node].key == key) return node;
    }
}

NodeIndex NodeTree::find_at_or_above(ChunkKey key, std::int32_t max_lod) const noexcept {
    for (; key.lod <= max_lod; key = parent_of(key)) {
        const NodeIndex node = find(key);
        if (node != kNoNode) return node;
    }
    return kNoNode;
}

void NodeTree::insert(NodeIndex node) {
    if (2 * (count_ + 1) > places_.size()) grow();
    const std::size_t mask = places_.size() - 1;
    std::size_t place = hash_of((*this)[node].key) & mask;
    while (places_[place] != kNoNode) place = (place + 1) & mask;
    places_[place] = node;
    ++count_;
}

void NodeTree::erase(NodeIndex node) {
    const std::size_t mask = places_.size() - 1;
    std::size_t gap = hash_of((*this)[node].key) & mask;
    while (places_[gap] != node) gap = (gap + 1) & mask;
    // Whatever lies behind the gap and could not be found beyond it moves into it.
    for (std::size_t place = (gap + 1) & mask; places_[place] != kNoNode; place = (place + 1) & mask) {
        const std::size_t home = hash_of((*this)[places_[place]].key) & mask;
        if (((place - home) & mask) < ((place - gap) & mask)) continue;
        places_[gap] = places_[place];
        gap = place;
    }
    places_[gap] = kNoNode;
    --count_;
}

void NodeTree::grow() {
    std::vector<NodeIndex> old(2 * places_.size(), kNoNode);
    std::swap(old, places_);
    const std::size_t mask = places_.size() - 1;
    for (const NodeIndex node : old) {
        if (node == kNoNode) continue;
        std::size_t place = hash_of((*this)[node].key) & mask;
        while (places_[place] != kNoNode) place = (place + 1) & mask;
        places_[place] = node;
    }
}

NodeIndex NodeTree::take_block() {
    if (free_blocks_.empty()) {
        const auto begin = static_cast<NodeIndex>(kSlab * slabs_.size());
        slabs_.push_back(std::make_unique<Slab>());
        for (NodeIndex block = begin + kSlab; block > begin; block -= 8) free_blocks_.push_back(block - 8);
    }
    const NodeIndex block = free_blocks_.back();
    free_blocks_.pop_back();
    return block;
}

void NodeTree::start(NodeIndex node, const ChunkKey& key, NodeIndex parent) {
    Node& started = (*this)[node];
    started = {};
    started.key = key;
    started.parent = parent;
    started.alive = true;
    started.stamp = ++last_stamp_;
    insert(node);
}

void NodeTree::end(NodeIndex node) {
    erase(node);
    (*this)[node].alive = false;
    (*this)[node].stamp = ++last_stamp_;
}

NodeIndex NodeTree::add_root(const ChunkKey& key) {
    if (free_root_places_.empty()) {
        const NodeIndex block = take_block();
        for (NodeIndex i = 8; i-- > 0;) free_root_places_.push_back(block + i);
    }
    const NodeIndex root = free_root_places_.back();
    free_root_places_.pop_back();
    start(root, key, kNoNode);
    roots_.push_back(root);
    return root;
}

void NodeTree::remove_root(NodeIndex root) {
    roots_.erase(std::find(roots_.begin(), roots_.end(), root));
    end(root);
    free_root_places_.push_back(root);
}

NodeIndex NodeTree::add_children(NodeIndex parent) {
    const NodeIndex first = take_block();
    const ChunkKey key = (*this)[parent].key;
    for (std::uint32_t child = 0; child < 8; ++child) start(first + child, child_of(key, child), parent);
    (*this)[parent].children = first;
    return first;
}

void NodeTree::remove_children(NodeIndex parent) {
    const NodeIndex first = std::exchange((*this)[parent].children, kNoNode);
    for (NodeIndex child = first; child < first + 8; ++child) end(child);
    free_blocks_.push_back(first);
}

std::size_t NodeTree::bytes() const noexcept {
    return slabs_.size() * sizeof(Slab) + places_.capacity() * sizeof(NodeIndex);
}

}  // namespace quarry::terrain::streaming
