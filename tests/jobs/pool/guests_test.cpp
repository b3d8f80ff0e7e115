#include "jobs/pool/guests.hpp"

#include <atomic>
#include <memory>
#include <set>

#include <gtest/gtest.h>

namespace quarry::impl {
namespace {

struct TestSeat {
    explicit TestSeat(int made_as) : number(made_as) {}

    int number;
    int told = 0;
    std::atomic<bool> taken{false};
};
using TestGuests = Guests<TestSeat>;

std::unique_ptr<TestSeat> make_seat(int number) {
    return std::make_unique<TestSeat>(number);
}

TEST(Guests, PlaceThatWasGivenBackIsUsedAgain) {
    TestGuests guests;
    TestSeat& first = guests.take(make_seat);
    TestSeat& second = guests.take(make_seat);
    EXPECT_NE(&first, &second);
    TestGuests::give_back(first);
    EXPECT_EQ(&guests.take(make_seat), &first);
    int seats = 0;
    guests.for_each([&](const TestSeat&) { ++seats; });
    EXPECT_EQ(seats, 2);
}

TEST(Guests, ThreadGetsItsLastPlaceAgainIfThatIsFreeAndOfThisPool) {
    TestGuests guests;
    TestSeat& seat = guests.take(make_seat);
    const TestGuests::Last last{7, &seat};
    EXPECT_EQ(TestGuests::try_take_again(last, 7), nullptr) << "it is taken";
    TestGuests::give_back(seat);
    EXPECT_EQ(TestGuests::try_take_again(last, 8), nullptr) << "it may be gone with its pool";
    EXPECT_EQ(TestGuests::try_take_again(last, 7), &seat);
    EXPECT_EQ(TestGuests::try_take_again(last, 7), nullptr);
}

TEST(Guests, MoreThanTheMostAreRefusedUntilOneLeaves) {
    TestGuests guests;
    std::set<int> numbers;
    TestSeat* last = nullptr;
    for (int i = 0; i < kMostGuests; ++i) {
        last = &guests.take(make_seat);
        numbers.insert(last->number);
    }
    EXPECT_EQ(numbers.size(), static_cast<std::size_t>(kMostGuests));
    EXPECT_THROW((void)guests.take(make_seat), Error);
    TestGuests::give_back(*last);
    EXPECT_EQ(&guests.take(make_seat), last);
}

TEST(Guests, ChangeReachesThoseWhoAreThereAndThoseWhoCome) {
    TestGuests guests;
    int begin_with = 0;
    const auto make = [&](int number) {
        auto seat = make_seat(number);
        seat->told = begin_with;
        return seat;
    };
    TestSeat& before = guests.take(make);
    guests.change_all([](TestSeat& seat) { seat.told = 5; }, [&] { begin_with = 5; });
    EXPECT_EQ(before.told, 5);
    EXPECT_EQ(guests.take(make).told, 5);
}

}  // namespace
}  // namespace quarry::impl
