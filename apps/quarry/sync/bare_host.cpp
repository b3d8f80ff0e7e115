#include "sync/bare_host.hpp"

#include <optional>
#include <utility>

namespace quarry::app {

using std::chrono::nanoseconds;

BareHost::BareHost(const CpuWork& work, BareHostOptions options) : work_(work), options_(std::move(options)) {
    for (int each = 0; each < options_.workers; ++each) threads_.emplace_back([this] { this->work(); });
}

BareHost::~BareHost() {
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    submitted_.notify_all();
    for (std::thread& each : threads_) each.join();
}

void BareHost::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        submitted_.wait(lock, [this] { return over_ || (!waiting_.empty() && held_ < options_.slots); });
        if (waiting_.empty() || held_ >= options_.slots) return;
        ++held_;
        const Job job = waiting_.front();
        waiting_.pop_front();
        lock.unlock();
        if (!options_.stop_token.stop_requested()) work_.run(job.length);
        lock.lock();
        done_.push_back(job.id);
    }
}

void BareHost::submit(nanoseconds length, std::uint64_t id) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back({length, id});
    }
    submitted_.notify_one();
}

void BareHost::deliver(nanoseconds budget, const std::function<void(std::uint64_t)>& apply) {
    const time_point end = now() + budget;
    const auto take = [this]() -> std::optional<std::uint64_t> {
        const std::lock_guard lock(mutex_);
        if (done_.empty()) return std::nullopt;
        const std::uint64_t id = done_.front();
        done_.pop_front();
        --held_;
        submitted_.notify_one();
        return id;
    };
    time_point start = now();
    do {
        const std::optional<std::uint64_t> id = take();
        if (!id) return;
        apply(*id);
        if (options_.apply_cost) work_.run(options_.apply_cost(*id));
        const time_point item_end = now();
        cost_.learn(static_cast<double>(nanoseconds(item_end - start).count()));
        start = item_end;
    } while (start < end && cost_.expected() <= static_cast<double>(nanoseconds(end - start).count()));
}

}  // namespace quarry::app
