#include "jobs/pool/guests.hpp"

#include <atomic>
#include <memory>
#include <set>

#include <gtest/gtest.h>

namespace quarry::impl {
namespace {

struct TestPlace {
    explicit TestPlace(int made_as) : number(made_as) {}

    int number;
    int told = 0;
    std::atomic<bool> taken{false};
};
using TestGuests = Guests<TestPlace>;

std::unique_ptr<TestPlace> make_place(int number) {
    return std::make_unique<TestPlace>(number);
}

TEST(Guests, PlaceThatWasGivenBackIsUsedAgain) {
    TestGuests guests;
    TestPlace& first = guests.take(make_place);
    TestPlace& second = guests.take(make_place);
    EXPECT_NE(&first, &second);
    TestGuests::give_back(first);
    EXPECT_EQ(&guests.take(make_place), &first);
    int places = 0;
    guests.for_each([&](const TestPlace&) { ++places; });
    EXPECT_EQ(places, 2);
}

TEST(Guests, ThreadGetsItsLastPlaceAgainIfThatIsFreeAndOfThisPool) {
    TestGuests guests;
    TestPlace& place = guests.take(make_place);
    const TestGuests::Last last{7, &place};
    EXPECT_EQ(TestGuests::try_take_again(last, 7), nullptr) << "it is taken";
    TestGuests::give_back(place);
    EXPECT_EQ(TestGuests::try_take_again(last, 8), nullptr) << "it may be gone with its pool";
    EXPECT_EQ(TestGuests::try_take_again(last, 7), &place);
    EXPECT_EQ(TestGuests::try_take_again(last, 7), nullptr);
}

TEST(Guests, MoreThanTheMostAreRefusedUntilOneLeaves) {
    TestGuests guests;
    std::set<int> numbers;
    TestPlace* last = nullptr;
    for (int i = 0; i < kMostGuests; ++i) {
        last = &guests.take(make_place);
        numbers.insert(last->number);
    }
    EXPECT_EQ(numbers.size(), static_cast<std::size_t>(kMostGuests));
    EXPECT_THROW((void)guests.take(make_place), Error);
    TestGuests::give_back(*last);
    EXPECT_EQ(&guests.take(make_place), last);
}

TEST(Guests, ChangeReachesThoseWhoAreThereAndThoseWhoCome) {
    TestGuests guests;
    int begin_with = 0;
    const auto make = [&](int number) {
        auto place = make_place(number);
        place->told = begin_with;
        return place;
    };
    TestPlace& before = guests.take(make);
    guests.change_all([](TestPlace& place) { place.told = 5; }, [&] { begin_with = 5; });
    EXPECT_EQ(before.told, 5);
    EXPECT_EQ(guests.take(make).told, 5);
}

}  // namespace
}  // namespace quarry::impl
