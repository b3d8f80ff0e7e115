#include "jobs/node.hpp"

#include <memory>
#include <mutex>
#include <vector>

#include "jobs/os.hpp"
#include "jobs/worker.hpp"

namespace quarry::impl {
namespace {

// Free nodes of the whole process, in chains of about NodeCache::kBundle. Never destroyed: tasks and results may
// outlive every pool, and thieves may look at a node that is free.
struct SharedStock {
    struct Chain {
        Node* first;
        std::size_t count;
    };

    std::mutex mutex;
    std::vector<Chain> chains;
    Node* singles = nullptr;  // given back one by one, by threads that are no worker
    std::size_t singles_count = 0;
    std::vector<std::unique_ptr<Node[]>> blocks;
};

SharedStock& stock() {
    static SharedStock* const the_stock = [] {
        os::around_fork([] { stock().mutex.lock(); }, [] { stock().mutex.unlock(); });
        return new SharedStock;
    }();
    return *the_stock;
}

SharedStock::Chain new_block(SharedStock& shared) {
    if (shared.blocks.size() == shared.blocks.capacity()) shared.blocks.reserve(2 * shared.blocks.size() + 8);
    auto block = std::make_unique<Node[]>(NodeCache::kBundle);
    for (std::size_t i = 0; i + 1 < NodeCache::kBundle; ++i) block[i].next.set(&block[i + 1]);
    block[NodeCache::kBundle - 1].next.set(nullptr);
    // Room for every chain that could ever come back, so that giving back never allocates.
    if (shared.chains.capacity() < 2 * (shared.blocks.size() + 1))
        shared.chains.reserve(4 * (shared.blocks.size() + 1));
    const SharedStock::Chain chain{&block[0], NodeCache::kBundle};
    shared.blocks.push_back(std::move(block));
    return chain;
}

SharedStock::Chain take_chain(SharedStock& shared) {
    if (!shared.chains.empty()) {
        const SharedStock::Chain chain = shared.chains.back();
        shared.chains.pop_back();
        return chain;
    }
    if (shared.singles != nullptr) {
        const SharedStock::Chain chain{shared.singles, shared.singles_count};
        shared.singles = nullptr;
        shared.singles_count = 0;
        return chain;
    }
    return new_block(shared);
}

// Short chains are merged into the singles: a chain is never much shorter than a bundle, so their number is bounded
// by the number of blocks.
void give_chain(SharedStock& shared, Node* first, std::size_t count) noexcept {
    if (count >= NodeCache::kBundle && shared.chains.size() < shared.chains.capacity()) {
        shared.chains.push_back({first, count});
        return;
    }
    while (first != nullptr) {
        Node* const next = first->next.get();
        first->next.set(shared.singles);
        shared.singles = first;
        ++shared.singles_count;
        first = next;
    }
}

}  // namespace

void NodeCache::refill() {
    SharedStock& shared = stock();
    const std::lock_guard lock(shared.mutex);
    const SharedStock::Chain chain = take_chain(shared);
    free_ = chain.first;
    count_ = chain.count;
}

void NodeCache::give_back_bundle() noexcept {
    Node* const first = free_;
    Node* last = first;
    for (std::size_t i = 1; i < kBundle; ++i) last = last->next.get();
    free_ = last->next.get();
    last->next.set(nullptr);
    count_ -= kBundle;
    SharedStock& shared = stock();
    const std::lock_guard lock(shared.mutex);
    give_chain(shared, first, kBundle);
}

void NodeCache::give_back_all() noexcept {
    if (free_ == nullptr) return;
    SharedStock& shared = stock();
    const std::lock_guard lock(shared.mutex);
    give_chain(shared, free_, count_);
    free_ = nullptr;
    count_ = 0;
}

Node* NodeCache::take_shared() {
    SharedStock& shared = stock();
    const std::lock_guard lock(shared.mutex);
    if (shared.singles == nullptr) {
        const SharedStock::Chain chain = take_chain(shared);
        shared.singles = chain.first;
        shared.singles_count = chain.count;
    }
    Node* const node = shared.singles;
    shared.singles = node->next.get();
    --shared.singles_count;
    return node;
}

void NodeCache::put_shared(Node* node) noexcept {
    SharedStock& shared = stock();
    const std::lock_guard lock(shared.mutex);
    node->next.set(shared.singles);
    shared.singles = node;
    ++shared.singles_count;
}

std::size_t NodeCache::nodes_in_existence() noexcept {
    SharedStock& shared = stock();
    const std::lock_guard lock(shared.mutex);
    return shared.blocks.size() * kBundle;
}

void release(Node* node) noexcept {
    if (node->claim.release()) free_job(*node);
}

Job& allocate_job() {
    Worker* const worker = Worker::current();
    return worker != nullptr ? *worker->nodes.take() : *NodeCache::take_shared();
}

void free_job(Job& job) noexcept {
    Node* const node = &static_cast<Node&>(job);
    if (Worker* const worker = Worker::current()) {
        worker->nodes.put(node);
    } else {
        NodeCache::put_shared(node);
    }
}

void drop_handle(Job& job) noexcept {
    auto& node = static_cast<Node&>(job);
    if (node.claim.drop_handle_before_end()) return;
    if (node.claim.handle_dropped()) node.operate(node, Job::Operation::destroy);
    release(&node);
}

}  // namespace quarry::impl
