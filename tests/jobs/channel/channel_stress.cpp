// Channels with more threads than the machine has CPUs. QUARRY_SEED and QUARRY_SOAK_SECONDS as in stress_test.cpp.
#include "quarry/jobs/channel.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/jobs/stress_support.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace std::chrono_literals;
using namespace test_support;

struct Traffic {
    std::size_t senders;
    std::size_t receivers;
    std::size_t capacity;
};
std::ostream& operator<<(std::ostream& out, const Traffic& traffic) {
    return out << traffic.senders << " to " << traffic.receivers << " through " << traffic.capacity;
}

struct Parcel {
    std::size_t sender = 0;
    std::uint64_t number = 0;
};

// What one receiver has seen: parcels of one sender come in rising order.
struct Receipts {
    explicit Receipts(std::size_t senders) : last(senders, 0) {}

    void take(const Parcel& parcel) {
        in_order = in_order && parcel.number > last[parcel.sender];
        last[parcel.sender] = parcel.number;
        sum += parcel.number;
        ++count;
    }

    std::vector<std::uint64_t> last;
    std::uint64_t sum = 0;
    std::size_t count = 0;
    bool in_order = true;
};

constexpr std::size_t kParcels = scaled(40'000, 40);

// By every verb that can, chosen at random.
bool send_somehow(Channel<Parcel>& channel, Parcel parcel, std::uint32_t random) {
    if (random % 4 != 0) return channel.send(std::move(parcel)) == SendStatus::sent;
    SendStatus status = SendStatus::full;
    // NOLINTNEXTLINE(bugprone-use-after-move): a full channel leaves the value
    while ((status = channel.try_send(std::move(parcel))) == SendStatus::full) std::this_thread::yield();
    return status == SendStatus::sent;
}

// False at the end.
bool receive_somehow(Channel<Parcel>& channel, Receipts& receipts, std::uint32_t random) {
    if (random % 4 == 0) {
        if (const auto parcel = channel.try_receive()) receipts.take(*parcel);
        return true;
    }
    if (random % 4 == 1) {
        const auto parcel = channel.receive_for(std::chrono::microseconds(random % 64));
        if (parcel) receipts.take(*parcel);
        return parcel.status() != ReceiveStatus::closed;
    }
    const auto parcel = channel.receive();
    if (parcel) receipts.take(*parcel);
    return parcel.has_value();
}

void carry(const Traffic& traffic, std::uint64_t seed) {
    Channel<Parcel> channel(traffic.capacity);
    const std::size_t share = kParcels / traffic.senders;
    std::atomic<std::size_t> sending{traffic.senders};
    std::vector<Receipts> receipts(traffic.receivers, Receipts(traffic.senders));
    std::vector<std::jthread> threads;
    for (std::size_t sender = 0; sender < traffic.senders; ++sender) {
        threads.emplace_back([&, sender] {
            std::minstd_rand random(static_cast<std::uint32_t>(seed + sender));
            for (std::uint64_t i = 1; i <= share; ++i) {
                EXPECT_TRUE(send_somehow(channel, {sender, i}, static_cast<std::uint32_t>(random())));
            }
            if (--sending == 0) channel.close();
        });
    }
    for (std::size_t receiver = 0; receiver < traffic.receivers; ++receiver) {
        threads.emplace_back([&, receiver] {
            std::minstd_rand random(static_cast<std::uint32_t>(seed + 100 + receiver));
            while (receive_somehow(channel, receipts[receiver], static_cast<std::uint32_t>(random()))) {
            }
        });
    }
    threads.clear();
    std::size_t count = 0;
    std::uint64_t sum = 0;
    for (const Receipts& each : receipts) {
        EXPECT_TRUE(each.in_order);
        count += each.count;
        sum += each.sum;
    }
    EXPECT_EQ(count, share * traffic.senders);
    EXPECT_EQ(sum, traffic.senders * share * (share + 1) / 2);
}

class ChannelStress : public testing::TestWithParam<Traffic> {};

// R4, R5, R65
TEST_P(ChannelStress, LosesNothingAndKeepsTheOrderOfEachSender) {
    for_each_seed("ChannelStress", [](std::uint64_t seed) { carry(GetParam(), seed); });
}

INSTANTIATE_TEST_SUITE_P(Traffic, ChannelStress,
                         testing::Values(Traffic{1, 1, 1}, Traffic{1, 1, 64}, Traffic{4, 4, 1}, Traffic{4, 4, 3},
                                         Traffic{8, 1, 64}, Traffic{1, 8, 2}, Traffic{8, 8, 1000}));

// Nobody is left asleep, and what the senders were told was sent is what comes out.
TEST(ChannelClose, WhileEightThreadsSendAndReceive) {
    for_each_seed("ChannelClose", [](std::uint64_t seed) {
        std::minstd_rand random(static_cast<std::uint32_t>(seed));
        for (int round = 0; round < static_cast<int>(scaled(60, 15)); ++round) {
            Channel<Parcel> channel(1 + random() % 3);
            std::atomic<std::uint64_t> sent{0};
            std::atomic<std::uint64_t> received{0};
            std::vector<std::jthread> threads;
            const std::size_t senders = random() % 9;
            for (std::size_t i = 0; i < 8; ++i) {
                if (i < senders) {
                    threads.emplace_back([&] {
                        while (channel.send(Parcel{}) == SendStatus::sent) ++sent;
                    });
                } else {
                    threads.emplace_back([&] {
                        while (channel.receive()) ++received;
                    });
                }
            }
            spin_for(std::chrono::microseconds(random() % 200));
            channel.close();
            threads.clear();
            while (channel.try_receive()) ++received;
            ASSERT_EQ(sent, received);
        }
    });
}

// Throws at every 7th move, whoever moves it.
class Slippery {
  public:
    explicit Slippery(std::uint64_t number) : number_(number) {}
    Slippery(Slippery&& other) : number_(other.number_) {  // NOLINT(performance-noexcept-move-constructor)
        if (moves.fetch_add(1, std::memory_order_relaxed) % 7 == 6) throw std::runtime_error("slipped");
    }
    std::uint64_t number() const { return number_; }

    static inline std::atomic<std::uint64_t> moves{0};

  private:
    std::uint64_t number_;
};

void send_slippery(Channel<Slippery>& channel, std::uint64_t number) {
    Slippery value(number);
    for (;;) {
        try {
            EXPECT_EQ(channel.send(std::move(value)), SendStatus::sent);
            return;
        } catch (const std::runtime_error&) {
        }
    }
}

TEST(ChannelThrow, ValuesThatThrowWhenMovedAreNeitherLostNorDoubled) {
    constexpr std::size_t kValues = scaled(8'000, 40);
    for (const std::size_t capacity : {1U, 3U}) {
        Channel<Slippery> channel(capacity);
        std::atomic<int> sending{3};
        std::vector<std::atomic<int>> seen(3 * kValues);
        std::vector<std::jthread> threads;
        for (std::size_t sender = 0; sender < 3; ++sender) {
            threads.emplace_back([&, sender] {
                for (std::size_t i = 0; i < kValues; ++i) send_slippery(channel, sender * kValues + i);
                if (--sending == 0) channel.close();
            });
        }
        for (std::size_t receiver = 0; receiver < 3; ++receiver) {
            threads.emplace_back([&] {
                for (;;) {
                    try {
                        const auto value = channel.receive();
                        if (!value) return;
                        ++seen[value->number()];
                    } catch (const std::runtime_error&) {
                    }
                }
            });
        }
        threads.clear();
        for (const std::atomic<int>& count : seen) ASSERT_EQ(count, 1);
    }
}

}  // namespace
}  // namespace quarry
