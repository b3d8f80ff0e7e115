#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "jobs/engine_interface.hpp"
#include "jobs/rows/context.hpp"
#include "jobs/rows/fork.hpp"

// Values through a bounded channel, by threads that block when it is full or empty. A channel type has a constructor
// from the capacity, send(std::uint64_t) and receive().
namespace quarry::bench {

inline constexpr std::size_t kChannelCapacity = 1024;

// Time per value from the start of all threads to the end of the last one.
template <class Channel>
double channel_seconds(std::size_t senders, std::size_t receivers, std::size_t values) {
    Channel channel(kChannelCapacity);
    std::atomic<bool> go{false};
    std::atomic<std::size_t> ready{0};
    std::atomic<std::uint64_t> sum{0};
    std::vector<std::thread> threads;
    const auto start_together = [&] {
        ready.fetch_add(1);
        go.wait(false);
    };
    for (std::size_t sender = 0; sender < senders; ++sender) {
        threads.emplace_back([&, sender] {
            start_together();
            for (std::size_t value = sender; value < values; value += senders) channel.send(value);
        });
    }
    for (std::size_t receiver = 0; receiver < receivers; ++receiver) {
        threads.emplace_back([&] {
            start_together();
            std::uint64_t mine = 0;
            for (std::size_t left = values / receivers; left > 0; --left) mine += channel.receive();
            sum.fetch_add(mine);
        });
    }
    while (ready.load() < threads.size()) std::this_thread::yield();
    const std::int64_t start = now_ns();
    go.store(true);
    go.notify_all();
    for (std::thread& thread : threads) thread.join();
    const auto elapsed = static_cast<double>(now_ns() - start);
    require(sum.load() == std::uint64_t{values} * (values - 1) / 2, "channel");
    return elapsed / 1e9 / static_cast<double>(values);
}

template <class Channel>
void run_channel(RowContext& context) {
    const std::size_t values = context.quick ? 100'000 : 400'000;
    context.add_time("channel_1_1", channel_seconds<Channel>(1, 1, values));
    context.add_time("channel_4_4", channel_seconds<Channel>(4, 4, values));
    context.add_time("channel_8_1", channel_seconds<Channel>(8, 1, values));
}

// A peer that is a channel and nothing else.
template <class Channel>
class ChannelHost final : public EngineHost {
  public:
    const char* unsupported(std::string_view row, int) const override {
        return row == "channel" ? nullptr : "is a queue only";
    }
    void measure(std::string_view, RowContext& context) override { run_channel<Channel>(context); }
};

}  // namespace quarry::bench
