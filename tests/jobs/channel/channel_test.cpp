#include "quarry/jobs/channel.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/os/os.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry {
namespace {

using namespace std::chrono_literals;
using namespace test_support;

class ChannelOf : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Capacity, ChannelOf, testing::Values(1, 2, 3, 64, 256, 10'000));

// R7, R14
TEST_P(ChannelOf, AcceptsExactlyItsCapacityAgainAndAgain) {
    Channel<std::size_t> channel(GetParam());
    EXPECT_EQ(channel.capacity(), GetParam());
    for (int round = 0; round < 3; ++round) {
        std::size_t accepted = 0;
        for (std::size_t i = 0; i < GetParam() + 36; ++i) {
            accepted += channel.try_send(std::size_t{i}) == SendStatus::sent ? 1 : 0;
        }
        EXPECT_EQ(accepted, GetParam());
        EXPECT_EQ(channel.size_hint(), GetParam());
        for (std::size_t i = 0; i < GetParam(); ++i) ASSERT_EQ(channel.try_receive(), i);
        EXPECT_EQ(channel.try_receive(), std::nullopt);
        EXPECT_EQ(channel.size_hint(), 0U);
    }
}

// R7
TEST_P(ChannelOf, AcceptsExactlyItsCapacityFromFourThreads) {
    Channel<int> channel(GetParam());
    std::atomic<std::size_t> accepted{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                for (std::size_t k = 0; k < GetParam() + 36; ++k) {
                    if (channel.try_send(1) == SendStatus::sent) ++accepted;
                }
            });
        }
    }
    EXPECT_EQ(accepted, GetParam());
}

std::string refusal_of(std::size_t capacity) {
    try {
        const Channel<int> channel(capacity);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Channel, CapacityOutOfRangeIsRefusedWithTheRange) {
    EXPECT_EQ(refusal_of(0), "Channel: capacity must be 1 to 1048576, not 0");
    EXPECT_EQ(refusal_of(Channel<int>::kMostCapacity + 1), "Channel: capacity must be 1 to 1048576, not 1048577");
    EXPECT_NE(refusal_of(std::numeric_limits<std::size_t>::max()), "accepted");
    EXPECT_EQ(refusal_of(Channel<int>::kMostCapacity), "accepted");
}

TEST(Channel, SendOfAConstantSendsACopy) {
    Channel<std::string> channel(2);
    const std::string text = "stays here";
    EXPECT_EQ(channel.send(text), SendStatus::sent);
    EXPECT_EQ(text, "stays here");
    EXPECT_EQ(channel.receive(), text);
    channel.close();
    EXPECT_EQ(channel.send(text), SendStatus::closed);
}

// R14
TEST(Channel, FullChannelLeavesTheValueWithTheCaller) {
    Channel<std::unique_ptr<int>> channel(1);
    ASSERT_EQ(channel.try_send(std::make_unique<int>(1)), SendStatus::sent);
    auto second = std::make_unique<int>(2);
    EXPECT_EQ(channel.try_send(std::move(second)), SendStatus::full);
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(*second, 2);  // NOLINT(bugprone-use-after-move): that is the question
}

TEST(Channel, ClosedChannelLeavesTheValueWithTheCaller) {
    Channel<std::unique_ptr<int>> channel(1);
    channel.close();
    auto value = std::make_unique<int>(7);
    EXPECT_EQ(channel.try_send(std::move(value)), SendStatus::closed);
    EXPECT_EQ(channel.send(std::move(value)), SendStatus::closed);
    ASSERT_NE(value, nullptr);
    EXPECT_EQ(*value, 7);  // NOLINT(bugprone-use-after-move): that is the question
}

TEST(Channel, ClosedIsSaidBeforeFull) {
    Channel<int> channel(1);
    ASSERT_EQ(channel.send(1), SendStatus::sent);
    channel.close();
    EXPECT_EQ(channel.try_send(2), SendStatus::closed);
    EXPECT_EQ(channel.send(2), SendStatus::closed);
}

TEST(Channel, ClosingLosesNothingThatWasSent) {
    Channel<int> channel(3);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(channel.send(int{i}), SendStatus::sent);
    EXPECT_FALSE(channel.closed());
    channel.close();
    channel.close();
    EXPECT_TRUE(channel.closed());
    EXPECT_EQ(channel.receive(), 0);
    EXPECT_EQ(channel.try_receive(), 1);
    const auto last = channel.receive_for(1s);
    EXPECT_EQ(last, 2);
    EXPECT_EQ(last.status(), ReceiveStatus::received);
    EXPECT_EQ(channel.receive(), std::nullopt);
    EXPECT_EQ(channel.try_receive(), std::nullopt);
    EXPECT_EQ(channel.receive_for(1h).status(), ReceiveStatus::closed);
}

TEST(Channel, ReceiveForSaysThatTheTimeIsOver) {
    Channel<int> channel(1);
    const auto start = Clock::now();
    const auto result = channel.receive_for(20ms);
    EXPECT_GE(Clock::now() - start, 20ms);
    EXPECT_FALSE(result.has_value());
    EXPECT_EQ(result.status(), ReceiveStatus::timed_out);
}

TEST(Channel, ReceiveForZeroOrLessDoesNotWait) {
    Channel<int> channel(1);
    EXPECT_EQ(channel.receive_for(0s).status(), ReceiveStatus::timed_out);
    EXPECT_EQ(channel.receive_for(std::chrono::seconds::min()).status(), ReceiveStatus::timed_out);
    ASSERT_EQ(channel.send(5), SendStatus::sent);
    EXPECT_EQ(channel.receive_for(-1h), 5);
    channel.close();
    EXPECT_EQ(channel.receive_for(0s).status(), ReceiveStatus::closed);
}

TEST(Channel, ReceiveForALongTimeWaitsForTheValue) {
    Channel<int> channel(1);
    std::vector<std::optional<int>> results(4);
    std::atomic<int> done{0};
    std::vector<std::jthread> threads;
    threads.emplace_back([&] { results[0] = channel.receive_for(std::chrono::hours::max()), ++done; });
    threads.emplace_back([&] { results[1] = channel.receive_for(std::chrono::nanoseconds::max()), ++done; });
    threads.emplace_back([&] { results[2] = channel.receive_for(std::chrono::duration<double>(1e30)), ++done; });
    threads.emplace_back([&] { results[3] = channel.receive_for(50s), ++done; });
    ASSERT_TRUE(workers_park());
    EXPECT_EQ(done, 0);
    for (int i = 0; i < 4; ++i) channel.send(1);
    threads.clear();
    for (const auto& result : results) EXPECT_EQ(result, 1);
}

TEST(Channel, ReceiveWaitsForAValueAndSendForRoom) {
    Channel<int> channel(1);
    std::optional<int> first;
    std::jthread receiver([&] { first = channel.receive(); });
    ASSERT_TRUE(workers_park());
    channel.send(1);
    receiver.join();
    EXPECT_EQ(first, 1);

    channel.send(2);
    std::atomic<bool> sent{false};
    std::jthread sender([&] { sent = channel.send(3) == SendStatus::sent; });
    ASSERT_TRUE(workers_park());
    EXPECT_FALSE(sent);
    EXPECT_EQ(channel.receive(), 2);
    sender.join();
    EXPECT_TRUE(sent);
    EXPECT_EQ(channel.receive(), 3);
}

TEST(Channel, EachOfManySleepersIsWokenByAValueOfItsOwn) {
    Channel<int> channel(8);
    std::atomic<int> woken{0};
    std::vector<std::jthread> receivers;
    for (int i = 0; i < 8; ++i) {
        receivers.emplace_back([&] {
            if (channel.receive()) ++woken;
        });
    }
    for (int i = 1; i <= 8; ++i) {
        ASSERT_TRUE(workers_park());
        ASSERT_EQ(woken, i - 1);
        channel.send(0);
        ASSERT_TRUE(eventually([&] { return woken == i; }));
    }
}

TEST(Channel, ClosingWakesEightThatWaitForAValue) {
    Channel<int> channel(2);
    std::atomic<int> told{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
            const bool nothing =
                i % 2 == 0 ? !channel.receive().has_value() : channel.receive_for(1h).status() == ReceiveStatus::closed;
            if (nothing) ++told;
        });
    }
    ASSERT_TRUE(workers_park());
    EXPECT_EQ(told, 0);
    channel.close();
    threads.clear();
    EXPECT_EQ(told, 8);
}

TEST(Channel, ClosingWakesEightThatWaitForRoom) {
    Channel<std::unique_ptr<int>> channel(1);
    channel.send(std::make_unique<int>(0));
    std::atomic<int> kept{0};
    std::vector<std::jthread> threads;
    for (int i = 1; i <= 8; ++i) {
        threads.emplace_back([&, i] {
            auto value = std::make_unique<int>(i);
            // NOLINTNEXTLINE(bugprone-use-after-move): that is the question
            if (channel.send(std::move(value)) == SendStatus::closed && value != nullptr && *value == i) ++kept;
        });
    }
    ASSERT_TRUE(workers_park());
    channel.close();
    threads.clear();
    EXPECT_EQ(kept, 8);
    EXPECT_EQ(**channel.receive(), 0);
    EXPECT_EQ(channel.receive(), std::nullopt);
}

// R16
TEST(Channel, ThreadsThatWaitCostNoTime) {
    Channel<int> channel(1);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { static_cast<void>(channel.receive()); });
    ASSERT_TRUE(workers_park());
    const double before = process_cpu_seconds();
    std::this_thread::sleep_for(200ms);
    EXPECT_LT(process_cpu_seconds() - before, 0.02);
    channel.close();
}

// R61
TEST(Channel, LooksBeforeSleepingOnlyWhereAnotherCpuCanBeBusyMeanwhile) {
    EXPECT_EQ(impl::channel_most_spin_ticks() == 0, impl::os::usable_cpus() == 1);
}

// What the quarry::Error says that f throws; nothing if it throws none.
template <class F>
std::string error_of(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Channel, BlockingInAJobThatComputesIsAnErrorAlsoWhenThereIsNothingToWaitFor) {
    Pool pool(1);
    Channel<int> channel(4);
    channel.send(1);
    channel.send(2);
    pool.submit([&] {
            const std::string send = error_of([&] { channel.send(3); });
            EXPECT_NE(send.find("Channel::send "), std::string::npos) << send;
            EXPECT_NE(send.find("try_send"), std::string::npos) << send;
            EXPECT_NE(send.find("Lane::io"), std::string::npos) << send;
            const std::string receive = error_of([&] { static_cast<void>(channel.receive()); });
            EXPECT_NE(receive.find("Channel::receive "), std::string::npos) << receive;
            const std::string timed = error_of([&] { static_cast<void>(channel.receive_for(0s)); });
            EXPECT_NE(timed.find("Channel::receive_for "), std::string::npos) << timed;
            EXPECT_EQ(channel.try_receive(), 1);
            EXPECT_EQ(channel.try_send(4), SendStatus::sent);
        })
        .get();
    EXPECT_EQ(channel.receive(), 2);
    EXPECT_EQ(channel.receive(), 4);
    EXPECT_EQ(channel.size_hint(), 0U);
}

}  // namespace
}  // namespace quarry
