#include "quarry/ecs/sparse_world.hpp"

#include <map>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "tests/ecs/support.hpp"

namespace quarry::ecs {
namespace {

using namespace test_support;

TEST(SparseWorld, BehavesAsAMapOfMapsForRandomChanges) {
    SparseWorld world;
    std::vector<SparseEntity> alive;
    std::vector<SparseEntity> gone;
    std::map<std::uint32_t, std::int64_t> positions;
    std::mt19937 random(1);
    for (int step = 0; step < static_cast<int>(scaled(20'000)); ++step) {
        const unsigned long what = random() % 5;
        if (what == 0 || alive.empty()) {
            alive.push_back(world.spawn());
            continue;
        }
        const std::size_t chosen = random() % alive.size();
        const SparseEntity entity = alive[chosen];
        if (what == 1) {
            world.despawn(entity);
            positions.erase(entity.index);
            gone.push_back(entity);
            alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(chosen));
        } else if (what == 2) {
            world.remove<Position>(entity);
            positions.erase(entity.index);
        } else {
            world.add(entity, Position{step});
            positions[entity.index] = step;
        }
    }
    EXPECT_EQ(world.size(), alive.size());
    EXPECT_EQ(world.storage<Position>().size(), positions.size());
    for (const SparseEntity entity : alive) {
        const Position* const position = world.get<Position>(entity);
        const auto expected = positions.find(entity.index);
        ASSERT_EQ(position != nullptr, expected != positions.end());
        if (position != nullptr) {
            EXPECT_EQ(position->x, expected->second);
        }
    }
    for (const SparseEntity entity : gone) {
        EXPECT_FALSE(world.alive(entity));
        EXPECT_EQ(world.get<Position>(entity), nullptr);
        EXPECT_THROW(world.add(entity, Position{}), Error);
        EXPECT_THROW(world.despawn(entity), Error);
    }
}

TEST(SparseWorld, CopyIsAWorldOfItsOwn) {
    SparseWorld world;
    const SparseEntity entity = world.spawn();
    world.add(entity, Position{1});
    SparseWorld copy = world;
    copy.get<Position>(entity)->x = 2;
    EXPECT_EQ(world.get<Position>(entity)->x, 1);
    copy.despawn(entity);
    EXPECT_TRUE(world.alive(entity));
    world.add(entity, std::make_unique<int>(3));
    EXPECT_THROW(copy = world, Error);
    EXPECT_FALSE(copy.alive(entity));  // as it was
}

TEST(SparseWorld, LookingForAComponentMakesNoStorage) {
    struct NeverAdded {};
    SparseWorld world;
    const SparseEntity entity = world.spawn();
    EXPECT_EQ(world.get<NeverAdded>(entity), nullptr);
    EXPECT_FALSE(world.set(entity, NeverAdded{}));
    world.remove<NeverAdded>(entity);
    EXPECT_EQ(world.find_storage<NeverAdded>(), nullptr);
    EXPECT_EQ(world.count<NeverAdded>(), 0U);
}

TEST(SparseWorld, IsEmptyAfterItWasMovedFrom) {
    SparseWorld world;
    const SparseEntity gone = world.spawn();
    static_cast<void>(world.spawn());
    world.despawn(gone);
    SparseWorld other = std::move(world);
    EXPECT_EQ(other.size(), 1U);
    EXPECT_EQ(world.size(), 0U);  // NOLINT(bugprone-use-after-move)
    EXPECT_TRUE(world.alive(world.spawn()));
    world = std::move(other);
    EXPECT_EQ(world.size(), 1U);
    EXPECT_EQ(other.size(), 0U);  // NOLINT(bugprone-use-after-move)
}

}  // namespace
}  // namespace quarry::ecs
