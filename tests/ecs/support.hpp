#pragma once

#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "quarry/ecs/executor.hpp"
#include "quarry/ecs/schedule.hpp"
#include "quarry/ecs/sparse_world.hpp"
#include "quarry/jobs/pool.hpp"
#include "tests/jobs/support.hpp"

namespace quarry::ecs::test_support {

using quarry::test_support::scaled;
using quarry::test_support::spin_for;

struct Position {
    std::int64_t x = 0;
    friend bool operator==(const Position&, const Position&) = default;
};
struct Velocity {
    std::int64_t x = 0;
};
struct Health {
    std::int64_t points = 0;
};
struct Tag {};

// A world that also keeps the order in which commands were applied.
struct LoggedWorld : SparseWorld {
    std::vector<std::uint64_t> log;
};

inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    return (hash ^ value) * 0x9e3779b97f4a7c15ULL + (hash >> 29);
}

// Everything that can be seen of the world, the order of its components included.
inline std::uint64_t hash_of(const LoggedWorld& world) {
    std::uint64_t hash = world.size();
    const auto add = [&](const auto* storage, auto value) {
        if (storage == nullptr) return;
        for (std::size_t i = 0; i < storage->size(); ++i) {
            hash = mixed(hash, storage->entities()[i].index);
            hash = mixed(hash, storage->entities()[i].generation);
            hash = mixed(hash, static_cast<std::uint64_t>(value(storage->at(i))));
        }
    };
    add(world.find_storage<Position>(), [](const Position& position) { return position.x; });
    add(world.find_storage<Velocity>(), [](const Velocity& velocity) { return velocity.x; });
    add(world.find_storage<Health>(), [](const Health& health) { return health.points; });
    for (const std::uint64_t entry : world.log) hash = mixed(hash, entry);
    return hash;
}

inline LoggedWorld populated(std::size_t entities) {
    LoggedWorld world;
    world.storage<Position>();
    world.storage<Velocity>();
    world.storage<Health>();
    for (std::size_t i = 0; i < entities; ++i) {
        const SparseEntity entity = world.spawn();
        world.add(entity, Position{static_cast<std::int64_t>(i)});
        if (i % 2 == 0) world.add(entity, Velocity{static_cast<std::int64_t>(i % 7)});
        if (i % 3 == 0) world.add(entity, Health{100});
    }
    return world;
}

// Keeps a thread busy for a while, now and then: nobody knows which. It does not yield: on a loaded machine that costs
// a time slice of everybody else.
class Stalls {
  public:
    explicit Stalls(std::uint64_t seed) : state_(seed) {}
    void maybe() {
        const std::uint64_t draw = mixed(state_.fetch_add(0x9e3779b97f4a7c15ULL, std::memory_order_relaxed), 77) >> 20;
        if (draw % 16 == 0) spin_for(std::chrono::microseconds(draw / 16 % 40));
    }

  private:
    std::atomic<std::uint64_t> state_;
};

}  // namespace quarry::ecs::test_support
