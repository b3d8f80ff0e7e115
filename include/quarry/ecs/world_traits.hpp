#pragma once

#include <cstdint>
#include <utility>

namespace quarry::ecs {

namespace impl {

template <class World>
struct EntityOf {
    using type = std::uint64_t;
};
template <class World>
requires requires {
    typename World::Entity;
}
struct EntityOf<World> {
    using type = typename World::Entity;
};

}  // namespace impl

// How commands change a world. This one is for worlds with members of these names; specialise it for any other. What is
// never recorded need not exist: a world without entities can be scheduled, too.
template <class World>
struct WorldTraits {
    using Entity = typename impl::EntityOf<World>::type;  // trivially copyable, at most 8 bytes

    static Entity spawn(World& world) { return world.spawn(); }
    static void despawn(World& world, Entity entity) { world.despawn(entity); }
    static bool alive(const World& world, Entity entity) { return world.alive(entity); }
    // add: gives the entity a component, or replaces it. set: replaces it; false if there is none.
    template <class T>
    static void add(World& world, Entity entity, T&& value) {
        world.add(entity, std::forward<T>(value));
    }
    template <class T>
    static bool set(World& world, Entity entity, T&& value) {
        return world.set(entity, std::forward<T>(value));
    }
    template <class T>
    static void remove(World& world, Entity entity) {
        world.template remove<T>(entity);
    }
};

}  // namespace quarry::ecs
