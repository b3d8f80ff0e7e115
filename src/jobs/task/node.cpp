#include "jobs/task/node.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "jobs/os/process_wide.hpp"
#include "jobs/worker/worker.hpp"

namespace quarry::impl {
namespace {

// Free nodes of the whole process: tasks and results may outlive every pool, and thieves may look at a node that is
// free.
struct SharedStock {
    std::mutex mutex;
    std::vector<Node*> free;
    std::vector<std::unique_ptr<Node[]>> blocks;

    // There is always room for every node that exists, so that giving back never allocates.
    void add_block() {
        auto block = std::make_unique<Node[]>(NodeCache::kBundle);
        const std::size_t nodes = (blocks.size() + 1) * NodeCache::kBundle;
        if (free.capacity() < nodes) free.reserve(2 * nodes);
        blocks.push_back(std::move(block));
        for (std::size_t i = 0; i < NodeCache::kBundle; ++i) free.push_back(&blocks.back()[i]);
    }
};

SharedStock& stock() {
    return os::process_wide<SharedStock>();
}

// The cache of a thread that is no worker, made when it first needs one. Static destructors and those of other
// thread-local objects may come later than this one and still drop tasks: they find no cache and do without.
enum class OutsideState : unsigned char { none, made, ended };
[[gnu::tls_model("initial-exec")]] thread_local NodeCache* outside_cache = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local OutsideState outside_state = OutsideState::none;

struct OutsideCacheOwner {
    OutsideCacheOwner() noexcept = default;
    OutsideCacheOwner(const OutsideCacheOwner&) = delete;
    OutsideCacheOwner& operator=(const OutsideCacheOwner&) = delete;
    ~OutsideCacheOwner() {
        outside_state = OutsideState::ended;
        delete std::exchange(outside_cache, nullptr);
    }
};

[[gnu::noinline]] NodeCache* make_outside_cache() noexcept {
    if (outside_state != OutsideState::none) return nullptr;
    static thread_local const OutsideCacheOwner owner;
    outside_cache = new (std::nothrow) NodeCache;
    if (outside_cache != nullptr) outside_state = OutsideState::made;
    return outside_cache;
}

// Null: the calling thread ends, or memory is short.
NodeCache* cache_of_this_thread() noexcept {
    if (Worker* const worker = Worker::current()) return &worker->nodes;
    return outside_cache != nullptr ? outside_cache : make_outside_cache();
}

}  // namespace

void NodeCache::refill() {
    SharedStock& shared = stock();
    const std::lock_guard lock(shared.mutex);
    if (shared.free.empty()) shared.add_block();
    const std::size_t count = std::min(kBundle, shared.free.size());
    std::copy_n(shared.free.end() - static_cast<std::ptrdiff_t>(count), count, free_.begin());
    shared.free.resize(shared.free.size() - count);
    count_ = count;
}

void NodeCache::give_back(std::size_t count) noexcept {
    if (count == 0) return;
    const auto end = free_.begin() + static_cast<std::ptrdiff_t>(count);
    {
        SharedStock& shared = stock();
        const std::lock_guard lock(shared.mutex);
        shared.free.insert(shared.free.end(), free_.begin(), end);
    }
    std::copy(end, free_.begin() + static_cast<std::ptrdiff_t>(count_), free_.begin());
    count_ -= count;
}

Node* NodeCache::take_shared() {
    SharedStock& shared = stock();
    const std::lock_guard lock(shared.mutex);
    if (shared.free.empty()) shared.add_block();
    Node* const node = shared.free.back();
    shared.free.pop_back();
    return node;
}

void NodeCache::put_shared(Node* node) noexcept {
    SharedStock& shared = stock();
    const std::lock_guard lock(shared.mutex);
    shared.free.push_back(node);
}

void release(Node* node) noexcept {
    if (node->claim.release()) free_job(*node);
}

Job& allocate_job() {
    NodeCache* const cache = cache_of_this_thread();
    return cache != nullptr ? *cache->take() : *NodeCache::take_shared();
}

void free_job(Job& job) noexcept {
    Node* const node = &static_cast<Node&>(job);
    if (NodeCache* const cache = cache_of_this_thread()) {
        cache->put(node);
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
