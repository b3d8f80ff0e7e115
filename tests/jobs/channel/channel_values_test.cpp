// What a channel does with values of every kind.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>

#include "quarry/jobs/channel.hpp"

namespace quarry {
namespace {

using namespace std::chrono_literals;

// Neither default construction nor copies nor assignment; counts those that live.
class Counted {
  public:
    explicit Counted(int number) : number_(number) { ++living; }
    Counted(Counted&& other) noexcept : number_(std::exchange(other.number_, -1)) { ++living; }
    Counted& operator=(Counted&&) = delete;
    ~Counted() { --living; }

    int number() const { return number_; }

    static inline int living = 0;

  private:
    int number_;
};

TEST(ChannelValues, NeedNoDefaultConstructorNorCopyNorAssignment) {
    Channel<Counted> channel(3);
    EXPECT_EQ(Counted::living, 0) << "a channel makes no values of its own";
    ASSERT_EQ(channel.send(Counted(7)), SendStatus::sent);
    EXPECT_EQ(Counted::living, 1);
    EXPECT_EQ(channel.receive()->number(), 7);
    EXPECT_EQ(Counted::living, 0);
}

TEST(ChannelValues, ThatAreLeftDieWithTheChannel) {
    {
        Channel<Counted> channel(3);
        for (int i = 0; i < 5; ++i) {
            channel.send(Counted(i));
            if (i < 2) {
                EXPECT_EQ(channel.receive()->number(), i);
            }
        }
        channel.close();
        EXPECT_EQ(Counted::living, 3);
    }
    EXPECT_EQ(Counted::living, 0);
}

struct alignas(256) OverAligned {
    std::uint64_t number;
};

TEST(ChannelValues, KeepTheirAlignment) {
    struct Checked {
        explicit Checked(std::uint64_t n) : inner{n} {}
        Checked(Checked&& other) noexcept : inner(other.inner) {
            if (reinterpret_cast<std::uintptr_t>(this) % alignof(Checked) != 0) inner.number = 0;
        }
        OverAligned inner;
    };
    Channel<Checked> channel(3);
    for (std::uint64_t i = 1; i <= 3; ++i) channel.send(Checked(i));
    for (std::uint64_t i = 1; i <= 3; ++i) EXPECT_EQ(channel.receive()->inner.number, i);
}

// Throws when it is moved while `moves_left` is zero; a move that throws leaves its source as it was.
class Reluctant {
  public:
    explicit Reluctant(int number) : number_(number) { ++living; }
    Reluctant(Reluctant&& other) {  // NOLINT(performance-noexcept-move-constructor): that is the point
        if (moves_left-- == 0) throw std::runtime_error("does not want to move");
        number_ = std::exchange(other.number_, -1);
        ++living;
    }
    Reluctant& operator=(Reluctant&&) = delete;
    ~Reluctant() { --living; }

    int number() const { return number_; }

    static inline int moves_left = 0;
    static inline int living = 0;

  private:
    int number_ = 0;
};

constexpr int kNoLimit = 1'000'000;

class ChannelOfReluctant : public testing::Test {
  protected:
    ~ChannelOfReluctant() override { Reluctant::moves_left = kNoLimit; }

    template <class F>
    static void expect_throw(F&& f) {
        Reluctant::moves_left = 0;
        EXPECT_THROW(f(), std::runtime_error);
        Reluctant::moves_left = kNoLimit;
    }

    Channel<Reluctant> channel{2};
};

TEST_F(ChannelOfReluctant, ValueThatCanNotBeMovedInStaysWithTheSender) {
    Reluctant value(1);
    expect_throw([&] { static_cast<void>(channel.try_send(std::move(value))); });
    expect_throw([&] { channel.send(std::move(value)); });
    EXPECT_EQ(value.number(), 1);
    EXPECT_EQ(channel.size_hint(), 0U);
    EXPECT_FALSE(channel.try_receive().has_value());
    EXPECT_EQ(Reluctant::living, 1);
}

TEST_F(ChannelOfReluctant, FailedSendsTakeNoRoom) {
    for (int i = 0; i < 5; ++i) expect_throw([&] { static_cast<void>(channel.try_send(Reluctant(9))); });
    Reluctant::moves_left = kNoLimit;
    EXPECT_EQ(channel.try_send(Reluctant(1)), SendStatus::sent);
    EXPECT_EQ(channel.try_send(Reluctant(2)), SendStatus::sent);
    EXPECT_EQ(channel.try_send(Reluctant(3)), SendStatus::full);
    EXPECT_EQ(channel.receive()->number(), 1);
    EXPECT_EQ(channel.receive()->number(), 2);
}

TEST_F(ChannelOfReluctant, ValueThatCanNotBeMovedOutStaysFirstInTheLine) {
    Reluctant::moves_left = kNoLimit;
    channel.send(Reluctant(1));
    channel.send(Reluctant(2));
    expect_throw([&] { static_cast<void>(channel.try_receive()); });
    expect_throw([&] { static_cast<void>(channel.receive()); });
    expect_throw([&] { static_cast<void>(channel.receive_for(1s)); });
    EXPECT_EQ(channel.size_hint(), 2U);
    EXPECT_EQ(Reluctant::living, 2);
    EXPECT_EQ(channel.try_send(Reluctant(3)), SendStatus::full);
    EXPECT_EQ(channel.receive_for(1s)->number(), 1);
    EXPECT_EQ(channel.receive()->number(), 2);
    EXPECT_EQ(Reluctant::living, 0);
}

TEST_F(ChannelOfReluctant, ReceivingTakesOneMove) {
    Reluctant::moves_left = kNoLimit;
    channel.send(Reluctant(1));
    Reluctant::moves_left = 1;
    const std::optional<Reluctant> value = channel.receive();
    ASSERT_TRUE(value.has_value());
    EXPECT_EQ(value->number(), 1) << "a second move could have lost it";
    EXPECT_EQ(Reluctant::moves_left, 0);
}

TEST_F(ChannelOfReluctant, ClosedChannelGivesTheValueOnTheNextTry) {
    Reluctant::moves_left = kNoLimit;
    channel.send(Reluctant(1));
    channel.close();
    expect_throw([&] { static_cast<void>(channel.receive()); });
    EXPECT_EQ(channel.receive()->number(), 1);
    EXPECT_FALSE(channel.receive().has_value());
}

}  // namespace
}  // namespace quarry
