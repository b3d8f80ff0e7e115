#include "stress/refusal.hpp"

#include <atomic>
#include <thread>

#include <quarry/frame/inbox.hpp>
#include <quarry/jobs/pool.hpp>

namespace quarry::app {
namespace {

constexpr std::uint64_t kTooMany = 100;

}  // namespace

RefusalFigures offer_too_much(const StressOptions& options) {
    const auto queue = static_cast<std::uint64_t>(options.queue);
    std::atomic<int> busy{0};
    std::atomic<bool> released{false};
    Inbox<int> inbox(InboxOptions{.slots = static_cast<std::size_t>(options.queue + options.workers)});
    Pool pool(PoolOptions{
        .workers = options.workers, .io_threads = 0, .queue_capacity = static_cast<std::size_t>(options.queue)});
    // One by one: a queue may be shorter than there are workers.
    for (int worker = 0; worker < options.workers; ++worker) {
        inbox.submit(pool, [&] {
            ++busy;
            busy.notify_one();
            released.wait(false);
            return 0;
        });
        for (int seen = busy; seen != worker + 1; seen = busy) busy.wait(seen);
    }
    RefusalFigures figures;
    figures.offered = queue + kTooMany;
    figures.fitting = queue;
    for (std::uint64_t job = 0; job < figures.offered; ++job) {
        if (inbox.try_submit(pool, [] { return 1; })) ++figures.accepted;
    }
    released = true;
    released.notify_all();
    std::uint64_t ended = 0;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const std::uint64_t awaited = figures.accepted + static_cast<std::uint64_t>(options.workers);
    while (ended < awaited && std::chrono::steady_clock::now() < deadline) {
        ended +=
            inbox
                .deliver(DeliveryBudget::everything(), [&](int one) { figures.ran += static_cast<std::uint64_t>(one); })
                .delivered;
        std::this_thread::yield();
    }
    return figures;
}

}  // namespace quarry::app
