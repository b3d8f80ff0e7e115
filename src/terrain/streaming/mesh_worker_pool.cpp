#include "quarry/terrain/mesh_worker_pool.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "quarry/frame/inbox.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/field.hpp"

namespace quarry::terrain {
namespace streaming {

// Requests that wait, nearest first; shared by the host's thread and the workers.
class WaitingRequests {
  public:
    explicit WaitingRequests(std::size_t most) : most_(most) {}

    bool push(MeshRequest& request) {
        const std::lock_guard lock(mutex_);
        if (entries_.size() == most_) return false;
        entries_.push_back({std::move(request), ++last_number_});
        std::push_heap(entries_.begin(), entries_.end());
        return true;
    }
    bool has_room() const {
        const std::lock_guard lock(mutex_);
        return entries_.size() < most_;
    }
    MeshRequest pop() {
        const std::lock_guard lock(mutex_);
        std::pop_heap(entries_.begin(), entries_.end());
        MeshRequest request = std::move(entries_.back().request);
        entries_.pop_back();
        return request;
    }

  private:
    struct Entry {
        MeshRequest request;
        std::uint64_t number;
        friend bool operator<(const Entry& a, const Entry& b) noexcept {
            return a.request.distance != b.request.distance ? a.request.distance > b.request.distance
                                                            : a.number > b.number;
        }
    };

    mutable std::mutex mutex_;
    const std::size_t most_;
    std::vector<Entry> entries_;
    std::uint64_t last_number_ = 0;
};

}  // namespace streaming

namespace {

MeshResult meshed(const MeshRequest& request) noexcept {
    thread_local ExtractScratch scratch;
    MeshResult result;
    result.key = request.key;
    result.mask = request.mask;
    result.distance = request.distance;
    try {
        const ExtractOptions options{.cells = request.cells, .lattice = {.voxel_size = request.voxel_size}};
        BakedChunk chunk = extract_baked(*request.field, request.key, request.mask, options, scratch);
        result.content = chunk.content;
        result.mesh = std::move(chunk.mesh);
    } catch (...) {
        result.error = std::current_exception();
    }
    return result;
}

}  // namespace

struct MeshWorkerPool::State {
    State(int threads, std::size_t capacity)
        : pool(PoolOptions{.workers = threads, .io_threads = 0, .name = "mesh"}),
          requests(std::make_shared<streaming::WaitingRequests>(capacity)),
          results({.slots = capacity, .age_bonus = 0}) {}

    // One job for each request; it takes the one that is nearest when it starts.
    void submit() {
        ++open;
        results.submit(pool, [waiting = requests] { return meshed(waiting->pop()); },
                       {.lane = Lane::background, .name = "mesh"});
    }
    // The request is moved from only where there is room.
    bool try_take(MeshRequest& request) {
        results.host().assert_host("MeshWorkerPool::try_request");
        if (request.field == nullptr) throw std::invalid_argument("a mesh request needs a field");
        if (!requests->push(request)) return false;
        submit();
        return true;
    }

    Pool pool;
    std::shared_ptr<streaming::WaitingRequests> requests;
    Inbox<MeshResult> results;
    std::deque<MeshResult> kept;  // taken in while a request waited for room
    std::size_t open = 0;
};

MeshWorkerPool::MeshWorkerPool(int threads, std::size_t channel_capacity) {
    constexpr std::size_t kMost = 1'048'576;
    if (threads < 0 || threads > Pool::kMostWorkers) {
        throw std::invalid_argument("threads is " + std::to_string(threads) + "; 0 to " +
                                    std::to_string(Pool::kMostWorkers) + " is allowed");
    }
    if (channel_capacity < 1 || channel_capacity > kMost) {
        throw std::invalid_argument("channel_capacity is " + std::to_string(channel_capacity) + "; 1 to " +
                                    std::to_string(kMost) + " is allowed");
    }
    state_ = std::make_unique<State>(threads, channel_capacity);
}
MeshWorkerPool::~MeshWorkerPool() = default;

bool MeshWorkerPool::try_request(MeshRequest&& request) {
    return state_->try_take(request);
}

void MeshWorkerPool::request(MeshRequest request) {
    // A worker that takes a request ends with a result: whoever waits for results sees every room there is.
    while (!state_->try_take(request)) {
        state_->results.deliver_until(
            std::chrono::hours(1), [&] { return state_->requests->has_room(); },
            [&](MeshResult& result) { state_->kept.push_back(std::move(result)); });
    }
}

std::optional<MeshResult> MeshWorkerPool::try_result() {
    std::optional<MeshResult> result;
    if (!state_->kept.empty()) {
        state_->results.host().assert_host("MeshWorkerPool::try_result");
        result = std::move(state_->kept.front());
        state_->kept.pop_front();
    } else {
        state_->results.deliver(
            DeliveryBudget::only_items(1), [&](MeshResult& next) { result = std::move(next); },
            [](const MeshResult& next) { return -next.distance; });
    }
    if (result) --state_->open;
    return result;
}

std::size_t MeshWorkerPool::open() const noexcept {
    return state_->open;
}
int MeshWorkerPool::threads() const noexcept {
    return state_->pool.worker_count();
}
const Pool& MeshWorkerPool::pool() const noexcept {
    return state_->pool;
}

}  // namespace quarry::terrain
